import Logging
import Pipeline
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Frames that no honest client sends, and bodies of requests.
@Suite(.timeLimit(.minutes(1))) struct HTTP2FrameTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        /// The code of GOAWAY (RFC 9113, section 7).
        var code: UInt8

        init(_ description: String, _ bytes: [UInt8], _ code: UInt8) {
            (testDescription, self.bytes, self.code) = (description, bytes, code)
        }
    }

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let (data, headers, priority, reset) = (UInt8(0), UInt8(1), UInt8(2), UInt8(3))
    private static let (settings, ping, window) = (UInt8(4), UInt8(6), UInt8(8))
    private static let (goAway, continuation) = (UInt8(7), UInt8(9))

    private static func frame(
        _ type: UInt8, _ flags: UInt8 = 0, on stream: UInt8 = 0, _ payload: [UInt8] = []
    ) -> [UInt8] {
        [
            UInt8(payload.count >> 16), UInt8(payload.count >> 8 & 0xff),
            UInt8(payload.count & 0xff), type, flags, 0, 0, 0, stream,
        ] + payload
    }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// GET of `/` over HTTPS of host "a", from the static table. The request is not complete.
    private static let request = frame(headers, 4, on: 1, [0x82, 0x84, 0x87, 0x41, 1, 0x61])
    /// The same for a picture that doesn't come.
    private static let miss: [UInt8] = {
        let path = Array("/t/m/tvmaze/show/2".utf8)
        let target = [0x04, UInt8(path.count)] + path
        return frame(headers, 4, on: 1, [0x82, 0x87, 0x41, 1, 0x61] + target)
    }()
    private static let (protocolError, flowControlError) = (UInt8(1), UInt8(3))
    private static let (frameSizeError, compressionError) = (UInt8(6), UInt8(9))
    private static let enhanceYourCalm: UInt8 = 11

    private static func many(_ count: Int, _ frame: [UInt8]) -> [UInt8] {
        (0..<count).flatMap { _ in frame }
    }

    static let cases = [
        Case("a frame over 16 KiB", request + frame(data, 0, on: 1, zeros(16_385)), frameSizeError),
        Case("SETTINGS of 5 bytes", frame(settings, 0, zeros(5)), frameSizeError),
        Case("a PING of 7 bytes", frame(ping, 0, zeros(7)), frameSizeError),
        Case("DATA without a stream", frame(data, 0, zeros(1)), protocolError),
        Case("a request on an even stream", frame(headers, 5, on: 2, [0x82]), protocolError),
        Case(
            "CONTINUATION without HEADERS", frame(continuation, 4, on: 1, [0x82]), protocolError),
        Case(
            "another frame within a head",
            frame(headers, 0, on: 1, [0x82]) + frame(ping, 0, zeros(8)),
            protocolError),
        Case("a window that grows by 0", frame(window, 0, zeros(4)), protocolError),
        Case(
            "a window over 2 GiB", frame(window, 0, [0x7f, 0xff, 0xff, 0xff]), flowControlError),
        Case(
            "a window of 4 GiB", frame(settings, 0, [0, 4, 0xff, 0xff, 0xff, 0xff]),
            flowControlError),
        Case(
            "fields that can't be decoded", frame(headers, 5, on: 1, [0xff, 0xff]), compressionError
        ),
        Case(
            "more DATA than the window",
            miss + many(5, frame(data, 0, on: 1, zeros(16_384))), flowControlError),
        Case("no HTTP/2", Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8), protocolError),
        Case("a flood of PING", many(500, frame(ping, 0, zeros(8))), enhanceYourCalm),
        Case("a flood of SETTINGS", many(500, frame(settings)), enhanceYourCalm),
        Case(
            "a flood of PRIORITY", many(500, frame(priority, 0, on: 1, zeros(4) + [1])),
            enhanceYourCalm),
        Case("a flood of empty DATA", request + many(500, frame(data, 0, on: 1)), enhanceYourCalm),
        Case(
            "a flood of CONTINUATION",
            frame(headers, 0, on: 1, [0x82]) + many(100, frame(continuation, 0, on: 1)),
            enhanceYourCalm),
        Case(
            "a flood of malformed requests",
            // 250 requests without a path, on streams of their own.
            (0..<250).flatMap { number in
                var bytes = frame(headers, 5, on: 0, [0x82, 0x87, 0x41, 1, 0x61])
                (bytes[7], bytes[8]) = (
                    UInt8((2 * number + 1) >> 8), UInt8((2 * number + 1) & 0xff)
                )
                return bytes
            }, enhanceYourCalm),
    ]

    /// Returns the codes of GOAWAY in what the server sent.
    private static func farewells(_ bytes: [UInt8]) -> [UInt8] {
        var (codes, rest) = ([UInt8](), bytes[...])
        while rest.count >= 9 {
            let start = rest.startIndex
            let length = Int(rest[start]) << 16 | Int(rest[start + 1]) << 8 | Int(rest[start + 2])
            guard rest.count >= 9 + length else { break }
            if rest[start + 3] == goAway, length >= 8 { codes.append(rest[start + 9 + 7]) }
            rest = rest.dropFirst(9 + length)
        }
        return codes
    }

    @Test(arguments: cases)
    func `a client that breaks the protocol gets GOAWAY with the reason, and the next is served`(
        one: Case
    ) async throws {
        try await withHarness(HitSite.harness()) { harness in
            Self.addMiss(harness)
            let log = RecordedLog()
            try await TLSSite.with(harness.pipeline, { $0.maxConnections = 1 }, log: log) { site in
                let client = try await site.connect(["h2"])
                let begins = one.testDescription == "no HTTP/2"
                let start = begins ? [] : Self.preface + Self.frame(Self.settings)
                // The server may close before it has read everything.
                try? await client.send(start + one.bytes)
                #expect(Self.farewells(await client.receivedUntilClosed()).last == one.code)
                let next = try await site.http2()
                #expect(await next.answer(try await next.ask(HitSite.path))?.status == 200)
            }
            #expect(log.all.filter { $0.level >= .warning }.isEmpty)
        }
    }

    /// Show 2 has a picture that doesn't come.
    private static func addMiss(_ harness: Harness) {
        harness.serveShow(2, medium: nil)
        harness.origin.on(
            "/original/2.jpg", .jpeg(HitSite.original, maxAge: 100).delayed(until: Gate()))
    }

    private static let token = "a-token-of-the-operator"
    private static let fields = [
        ("authorization", "Bearer \(token)"), ("content-type", "application/json"),
    ]
    private static let body = #"{"item": "tvmaze/show/1"}"#

    private func with(
        _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ act: (TLSSite, HTTP2Client) async throws -> Void
    ) async throws {
        try await withHarness(HitSite.harness()) { harness in
            Self.addMiss(harness)
            try await TLSSite.with(
                harness.pipeline,
                {
                    $0.adminToken = AdminToken(Self.token)
                    adjust(&$0)
                }
            ) { site in try await act(site, try await site.http2()) }
        }
    }

    @Test func `a body larger than the window is read`() async throws {
        try await with { _, client in
            let stream = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            let blank = String(repeating: " ", count: 10_000)
            for _ in 0..<30 { try await client.send(blank, on: stream) }
            try await client.send(Self.body, on: stream, ends: true)
            #expect(await client.answer(stream)?.status == 200)
        }
    }

    @Test func `bodies that are not read leave the window of their connection`() async throws {
        try await with { _, client in
            let blank = String(repeating: " ", count: 10_000)
            for _ in 0..<30 {
                let stream = try await client.ask("/admin/purge", method: "POST", ends: false)
                // The response may come before the body's end.
                try? await client.send(blank, on: stream, ends: true)
                #expect(await client.answer(stream)?.status == 401)
            }
            let last = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            try await client.send(Self.body + blank, on: last, ends: true)
            #expect(await client.answer(last)?.status == 200)
        }
    }

    @Test func `a client may send as much again as was read, and no more`() async throws {
        try await with { _, client in
            let canceled = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            try await client.send(String(repeating: " ", count: 50_000), on: canceled)
            // The window grows once half of it is read.
            await client.state { $0.window > 32_000 }
            try await client.reset(canceled)
            let unread = try await client.ask("/t/m/tvmaze/show/2", ends: false)
            try await client.send(String(repeating: " ", count: 30_000), on: unread)
            let read = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            try await client.send(Self.body, on: read, ends: true)
            #expect(await client.answer(read)?.status == 200)
            let window = try await client.ping().window
            #expect((32_000...50_100).contains(window))
        }
    }

    @Test func `a body over the limit is answered 413 while the client sends`() async throws {
        try await with { _, client in
            let stream = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            let blank = String(repeating: " ", count: 100_000)
            for _ in 0..<20 { do { try await client.send(blank, on: stream) } catch { break } }
            #expect(await client.answer(stream)?.status == 413)
            let next = try await client.ask(HitSite.path)
            #expect(await client.answer(next)?.status == 200)
        }
    }

    @Test func `fields after a body end it`() async throws {
        try await with { _, client in
            let stream = try await client.ask(
                "/admin/purge", method: "POST", fields: Self.fields, ends: false)
            try await client.send(Self.body, on: stream)
            try await client.sendTrailers([("x-checksum", "1")], on: stream)
            #expect(await client.answer(stream)?.status == 200)
        }
    }

    @Test func `an HTTP/2 client that expects 100 gets it when the body is read`() async throws {
        try await with { _, client in
            let expecting =
                Self.fields + [
                    ("expect", "100-continue"), ("content-length", "\(Self.body.utf8.count)"),
                ]
            let stream = try await client.ask(
                "/admin/purge", method: "POST", fields: expecting, ends: false)
            let state = await client.state { $0.streams[stream]?.status != nil }
            #expect(state.streams[stream]?.status == 100)
            try await client.send(Self.body, on: stream, ends: true)
            #expect(await client.answer(stream)?.status == 200)
            let refused = try await client.ask(
                "/admin/purge", method: "POST", fields: Array(expecting.dropFirst()), ends: false)
            #expect(await client.answer(refused)?.status == 401)
        }
    }

    @Test func `a head over the limit is answered 431, and its connection continues`()
        async throws
    {
        try await with({ $0.maxHeaderBytes = 16 << 10 }) { site, client in
            let long = [("x-long", String(repeating: "a", count: 20_000))]
            let stream = try await client.ask(HitSite.path, fields: long)
            #expect(await client.answer(stream)?.status == 431)
            #expect(site.server.counts.refused == 1)
            let next = try await client.ask(HitSite.path)
            #expect(await client.answer(next)?.status == 200)
        }
    }
}
