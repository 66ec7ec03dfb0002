import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct PNGTextTests {
    private static func png(_ chunks: [(String, [UInt8])]) -> [UInt8] {
        FixtureImages.png(width: 2, height: 2, chunks: chunks) { x, y, band in x + y + band }
    }

    @Test func `text chunks of a PNG are removed and all others stay`() {
        let other = ("gAMA", [UInt8](repeating: 1, count: 4))
        let texts = ["tEXt", "zTXt", "iTXt"].map { ($0, Array("Comment\0\0x".utf8)) }
        let original = Self.png([texts[0], other, texts[1], texts[2], texts[1]])
        #expect(HeaderReader.withoutText(original) == Self.png([other]))
        #expect(HeaderReader.withoutText(Self.png([other])) == nil)
    }

    @Test func `a PNG whose chunks claim more bytes than it has stays unchanged`() {
        let original = Self.png([("zTXt", Array("Comment\0\0x".utf8))])
        for count in [0, 7, 8, 20, 40, 45] {
            #expect(HeaderReader.withoutText(Array(original.prefix(count))) == nil)
        }
    }

    @Test func `a PNG with text chunks costs the memory of a copy`() throws {
        let plain = Self.png([])
        let told = Self.png([("tEXt", [UInt8](repeating: 65, count: 1_000_000))])
        func peak(_ original: [UInt8]) throws -> Int {
            let header = try HeaderReader.png(original)
            return RenderCost(header, bytes: original.count, renditions: [], levels: []).peak
        }
        #expect(try peak(told) - peak(plain) >= 2_000_000)
    }
}
