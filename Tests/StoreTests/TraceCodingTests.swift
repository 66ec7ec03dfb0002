import Foundation
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct TraceCodingTests {
    private static let url = "https://static.tvmaze.com/uploads/images/original/163/407679.jpg"
    private static let item = "tvmaze/show/169"
    private static let trace = Array(
        #"""
        {"steps":[{"label":"catalog tvmaze\/show\/169","note":"asked","outcome":"followed"},\#
        {"label":"original","note":"200","outcome":"chosen","url":"https:\/\/static.tvmaze.com\#
        \/uploads\/images\/original\/163\/407679.jpg"}],"walkedAt":784553022.123456}
        """#.utf8)

    @Test func `a trace is a third of its size when its URL and item are known`() {
        let coding = TraceCoding(context: [Self.url, Self.item])
        let packed = coding.packed(Self.trace)
        #expect(packed.count < Self.trace.count / 3)
        #expect(coding.unpacked(packed) == Self.trace)
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `any bytes come back as they were`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for count in [0, 1, 3, 4, 5, 127, 128, 129, 300, 2_000] {
            // Few different bytes, so that there are matches of all lengths.
            let range: ClosedRange<UInt8> = count % 2 == 0 ? 0...255 : 97...99
            let bytes = (0..<count).map { _ in UInt8.random(in: range, using: &random) }
            for context in [[], [Self.url, Self.item], [String(decoding: bytes, as: UTF8.self)]] {
                let coding = TraceCoding(context: context)
                let packed = coding.packed(bytes)
                #expect(packed.count <= bytes.count + 1)
                #expect(coding.unpacked(packed) == bytes)
            }
        }
        let same = [UInt8](repeating: 7, count: 1_000)
        let coding = TraceCoding(context: [])
        #expect(coding.unpacked(coding.packed(same)) == same)
    }

    @Test func `damaged bytes are refused or give other bytes, and never stop the program`() {
        var random = SeededGenerator(seed: 9)
        let coding = TraceCoding(context: [Self.url])
        var packed = coding.packed(Self.trace)
        for _ in 0..<2_000 {
            packed[Int.random(in: 1..<packed.count, using: &random)] =
                UInt8.random(in: 0...255, using: &random)
            _ = coding.unpacked(packed)
        }
        #expect(coding.unpacked([1, 5, 1]) == nil)
        #expect(coding.unpacked([1, 200, 255, 255, 127]) == nil)
        #expect(coding.unpacked([7]) == nil)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct HTTPTimeTests {
    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 15 Nov 1994 12:45:26 GMT", 784_903_526),
        ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
        ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
        ("Sun, 31 Dec 2023 23:59:59 GMT", 1_704_067_199),
        ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
    ])
    func `a date in HTTP's form is its seconds`(text: String, seconds: Int64) {
        #expect(HTTPTime(text: text)?.seconds == seconds)
        #expect(HTTPTime(seconds: seconds)?.text == text)
    }

    @Test(arguments: [
        "", "Tuesday, 15-Nov-94 12:45:26 GMT", "Tue Nov 15 12:45:26 1994",
        "Wed, 15 Nov 1994 12:45:26 GMT", "Tue, 15 Nov 1994 12:45:26 UTC",
        "Tue, 15 nov 1994 12:45:26 GMT", "Tue, 15 Nov 1994 12:45:60 GMT",
        "Tue, 30 Feb 1999 00:00:00 GMT", "Tue, 15 Nov 1994  12:45:26 GMT",
        "Tue, +5 Nov 1994 12:45:26 GMT",
    ])
    func `every other text stays a text`(text: String) {
        #expect(HTTPTime(text: text) == nil)
    }

    @Test func `a Last-Modified in any form comes back as it was`() async throws {
        let scratch = try StoreScratch()
        let index = try Index(root: scratch.path)
        for text in ["Tue, 15 Nov 1994 12:45:26 GMT", "yesterday", "", "784903526"] {
            var record = OriginalRecord.sample("u", Digest(of: [1]))
            record.lastModified = text
            try await index.record(record)
            #expect(try await index.original(url: "u") == record)
        }
    }
}
