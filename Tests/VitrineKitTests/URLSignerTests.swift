import Foundation
import TestSupport
import Testing
import VitrineKit

@Suite(.timeLimit(.minutes(1))) struct URLSignerTests {
    /// What the service's own code has made.
    private struct Vectors: Decodable {
        struct Accepted: Decodable, CustomTestStringConvertible {
            var about: String
            var key: String
            var level: String
            var url: String
            var expires: Int?
            var normalForm: String
            var path: String

            var testDescription: String { about }
        }

        var accepted: [Accepted]
    }

    private static func vectors() throws -> [Vectors.Accepted] {
        let file = Fixtures.project.appending(path: "config/signing/vectors.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file)).accepted
    }

    @Test func `the paths and normal forms of all vectors are made`() throws {
        let vectors = try Self.vectors()
        #expect(vectors.count == 22)
        for vector in vectors {
            #expect(try NormalURL.text(of: vector.url) == vector.normalForm, "\(vector.about)")
            let signer = URLSigner(key: vector.key)
            let expires = vector.expires.map { Date(timeIntervalSince1970: TimeInterval($0)) }
            let path =
                vector.level == "iiif"
                ? try signer.iiifPath(for: vector.url, expires: expires)
                : try signer.path(for: vector.url, level: vector.level, expires: expires)
            #expect(path == vector.path, "\(vector.about)")
        }
    }

    @Test func `an extension stands before the expiry and is not signed`() throws {
        let signer = URLSigner(key: "a key of this test")
        let end = Date(timeIntervalSince1970: 4_102_444_800.9)
        let url = "https://shop.example/a.jpg"
        let plain = try signer.path(for: url, level: "m", expires: end)
        let fixed = try signer.path(for: url, level: "m", format: "webp", expires: end)
        #expect(fixed == plain.replacing("?", with: ".webp?"))
        #expect(plain.hasSuffix("?expires=4102444800"))
    }

    @Test(arguments: [
        ("a.jpg", NormalURLError.notAbsolute), ("ftp://a.example/b", .notAbsolute),
        ("", .notAbsolute),
        ("http://", .noHost), ("http:///a", .noHost), ("http://:80/a", .noHost),
        ("http://a b/c", .badHost), ("http://a|b/c", .badHost), ("http://a%/c", .badHost),
        ("http://ü|b/c", .badHost), ("http://a:ü/c", .badHost),
    ])
    func `a text that is not a URL of a picture is refused`(text: String, error: NormalURLError) {
        #expect(throws: error) { try NormalURL.text(of: text) }
        #expect(throws: error) { try URLSigner(key: "k").path(for: text, level: "m") }
    }

    @Test func `keys that are longer than a block, and messages of several, are signed`() throws {
        let url = "https://shop.example/" + String(repeating: "long/", count: 60)
        // printf 'm/url/…' | openssl dgst -sha256 -hmac "$(printf 'k%.0s' {1..131})" -binary | base64
        let path = try URLSigner(key: String(repeating: "k", count: 131)).path(for: url, level: "m")
        #expect(path.hasPrefix("/t/m/url/A76s84cntlL56JgVkAZGu7nIL_U3AgZwYc-rswk1dNM/"))
    }
}
