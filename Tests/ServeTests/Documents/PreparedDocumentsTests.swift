import CCompression
import Foundation
import HTTPTypes
import Pipeline
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Serve

/// Pages and items are made once and sent many times, compressed.
@Suite(.timeLimit(.minutes(1))) struct PreparedDocumentsTests {
    private static let page = "/v1/tvmaze/shows?page=0"
    /// A list of forty shows, and one responder that remembers what it sent.
    private func withService(
        _ configuration: ServerConfiguration = .init(),
        _ body: @Sendable (Harness, Responder) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            for id in 1...40 { harness.serveShow(id) }
            let shows = (1...40).map { Harness.show($0) }.joined(separator: ",")
            harness.origin.on("/shows", host: Harness.apiHost, .json("[\(shows)]"))
            harness.origin.on(
                "/original/1.jpg", .jpeg(FixtureImages.jpeg(width: 680, height: 1000, seed: 1)))
            try await body(harness, Responder(harness.pipeline, configuration))
        }
    }

    private func ask(
        _ responder: Responder, _ target: String, _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get
    ) async -> Response {
        await responder.answer(
            Request(
                method: method, target: target, fields: fields, authority: "127.0.0.1:8080"))
    }

    @Test func `each coding is another representation, and at most 30 % of the bytes`()
        async throws
    {
        try await withService { _, responder async throws in
            let plain = await ask(responder, Self.page)
            #expect(plain.status == .ok)
            #expect(plain.fields[.contentEncoding] == nil)
            #expect(plain.fields[.vary]?.contains("Accept-Encoding") == true)
            var tags = [try #require(plain.fields[.eTag])]
            for coding in ["gzip", "br"] {
                let answer = await ask(responder, Self.page, [.acceptEncoding: coding])
                #expect(answer.fields[.contentEncoding] == coding)
                #expect(answer.body.count * 10 <= plain.body.count * 3)
                #expect(answer.fields[.vary] == plain.fields[.vary])
                let tag = try #require(answer.fields[.eTag])
                #expect(!tags.contains(tag))
                tags.append(tag)
                let fields: HTTPFields = [.acceptEncoding: coding, .ifNoneMatch: tag]
                let known = await ask(responder, Self.page, fields)
                #expect(known.status == .notModified)
                #expect(known.fields[.eTag] == tag)
            }
            let other: HTTPFields = [.acceptEncoding: "gzip", .ifNoneMatch: tags[0]]
            #expect(await ask(responder, Self.page, other).status == .ok)
        }
    }

    @Test func `the gallery is compressed for its own pages and visitors, not for other sites`()
        async throws
    {
        try await withService { _, responder async throws in
            let own: [(HTTPField.Name, String)] = [
                (.acceptEncoding, "gzip"), (.referer, "https://127.0.0.1:8080/"),
            ]
            for (site, coding) in [
                ("same-origin", "gzip"), ("none", "gzip"), ("cross-site", nil), (nil, nil),
            ] {
                var fields = HTTPFields(own.map { HTTPField(name: $0, value: $1) })
                fields[.secFetchSite] = site
                let answer = await ask(responder, "/", fields)
                #expect(answer.status == .ok)
                #expect(answer.fields[.contentEncoding] == coding, "\(site ?? "no site")")
                // It is the only page.
                let list = await ask(responder, Self.page, fields)
                #expect(list.fields[.contentEncoding] == "gzip")
            }
        }
    }
}

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
