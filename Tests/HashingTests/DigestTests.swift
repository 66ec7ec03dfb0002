import Foundation
import Hashing
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `digests match the test vectors of FIPS 180`(text: String, hex: String) {
        let digest = Digest(of: Array(text.utf8))
        #expect(digest.hex == hex)
        #expect(digest.description == "sha256-" + hex)
        #expect(Digest(hex: hex) == digest)
        #expect(Digest(bytes: digest.bytes) == digest)
        #expect(digest.bytes.count == 32)
    }

    @Test(arguments: [
        "", "ab", String(repeating: "g", count: 64), String(repeating: "A", count: 64),
        String(repeating: "a", count: 63), String(repeating: "a", count: 65),
        String(repeating: "ä", count: 32),
    ])
    func `only 64 lower-case digits are parsed as a digest`(text: String) {
        #expect(Digest(hex: text) == nil)
    }

    @Test func `only 32 bytes make a digest`() {
        #expect(Digest(bytes: [UInt8](repeating: 0, count: 31)) == nil)
        #expect(Digest(bytes: [UInt8](repeating: 0, count: 33)) == nil)
    }

    @Test func `digests sort like their texts`() {
        let digests = (0..<100).map { Digest(of: [UInt8($0)]) }
        #expect(digests.sorted().map(\.hex) == digests.map(\.hex).sorted())
        #expect(Set(digests).count == 100)
    }

    @Test func `a digest is encoded as its text`() throws {
        let digests = [Digest(of: [1])]
        let json = try JSONEncoder().encode(digests)
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(digests[0].hex)\"]")
        #expect(try JSONDecoder().decode([Digest].self, from: json) == digests)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Digest].self, from: Data(#"["12"]"#.utf8))
        }
    }
}
