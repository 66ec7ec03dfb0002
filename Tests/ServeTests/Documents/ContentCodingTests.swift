import CCompression
import Testing

@testable import Serve

@Suite struct ContentCodingTests {
    @Test(arguments: [
        (nil, ContentCoding.identity), ("", .identity), ("gzip", .gzip), ("br", .brotli),
        ("gzip, deflate, br", .brotli), ("gzip;q=1.0, br;q=0.5", .gzip), ("GZIP", .gzip),
        ("x-gzip", .gzip), ("br;q=0, gzip", .gzip), ("*", .brotli), ("*;q=0", .identity),
        ("gzip;q=0", .identity), ("identity", .identity), ("identity;q=0.5, gzip;q=0.4", .identity),
        ("deflate, zstd", .identity), ("gzip ; q=0.2 , br ; q=0.1", .gzip),
        ("gzip;q=nan", .identity), ("br;q=-1, gzip;q=2", .gzip), (";,;q=1,", .identity),
    ])
    func `a client gets the coding it likes best`(field: String?, coding: ContentCoding) {
        #expect(ContentCoding(accepting: field) == coding)
    }

    @Test func `gzip gives the same bytes back`() throws {
        for count in [256, 65_536, 1_000_003] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0 >> 9) }
            let encoded = try #require(ContentCoding.gzip.encoded(bytes))
            #expect(encoded.count < count)
            #expect(try decoded(encoded, count) == bytes)
            #expect(ContentCoding.gzip.encoded(bytes) == encoded)
        }
    }

    @Test func `what would not become shorter is not encoded`() {
        var word: UInt64 = 1
        let noise = (0..<100_000).map { _ -> UInt8 in
            word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(word >> 56)
        }
        let short = [UInt8](repeating: 0x20, count: 255)
        for coding in ContentCoding.allCases {
            #expect(coding.encoded(noise) == nil)
            #expect(coding.encoded(short) == nil)
            #expect(coding.encoded([]) == nil)
        }
    }

    private func decoded(_ bytes: [UInt8], _ count: Int) throws -> [UInt8] {
        var stream = z_stream()
        try #require(
            inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
        defer { inflateEnd(&stream) }
        var input = bytes
        return input.withUnsafeMutableBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: count + 1) { output, written in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(count + 1)
                let end = inflate(&stream, Z_FINISH)
                written = end == Z_STREAM_END ? Int(stream.total_out) : 0
            }
        }
    }
}
