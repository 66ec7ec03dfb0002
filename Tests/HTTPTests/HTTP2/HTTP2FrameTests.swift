import TestSupport
import Testing

@testable import HTTP

/// Frames that no honest client sends.
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

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let (data, headers, priority, reset) = (UInt8(0), UInt8(1), UInt8(2), UInt8(3))
    private static let (settings, ping, window) = (UInt8(4), UInt8(6), UInt8(8))
    private static let (goAway, continuation) = (UInt8(7), UInt8(9))

    static func frame(
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
        let path = Array("/x".utf8)
        let target = [0x04, UInt8(path.count)] + path
        return frame(headers, 4, on: 1, [0x82, 0x87, 0x41, 1, 0x61] + target)
    }()
    private static let (protocolError, flowControlError) = (UInt8(1), UInt8(3))
    private static let (frameSizeError, compressionError) = (UInt8(6), UInt8(9))
    private static let (streamClosed, enhanceYourCalm) = (UInt8(5), UInt8(11))

    /// POST of `/x` with a length, on a stream that the caller sets. Its body follows.
    private static func post(length: String) -> [UInt8] {
        let head: [UInt8] = [0x83, 0x87, 0x41, 1, 0x61, 0x04, 2] + Array("/x".utf8)
        return frame(headers, 4, head + [0x0f, 13, UInt8(length.utf8.count)] + Array(length.utf8))
    }

    /// GET of `/x`, which is complete, with `more` fields.
    private static func get(_ more: [UInt8] = []) -> [UInt8] {
        frame(headers, 5, [0x82, 0x87, 0x41, 1, 0x61, 0x04, 2] + Array("/x".utf8) + more)
    }

    /// `x: aaa…` with 5,000 letters, more than a head may have.
    private static let longField: [UInt8] =
        [0, 1, 0x78, 0x7f, 0x89, 0x26] + [UInt8](repeating: 0x61, count: 5_000)

    /// These frames on each of 250 streams.
    private static func flood(_ frames: [UInt8]...) -> [UInt8] {
        (0..<250).flatMap { number in
            let id = 2 * number + 1
            return frames.flatMap { frame in
                frame[..<7] + [UInt8(id >> 8), UInt8(id & 0xff)] + frame[9...]
            }
        }
    }

    /// What a client does to have the server reset its streams.
    static let brokenBodies = [
        Case(
            "a flood of bodies that are longer than they say",
            flood(post(length: "1"), frame(data, 0, zeros(2))), enhanceYourCalm),
        Case(
            "a flood of bodies that are shorter than they say",
            flood(post(length: "2"), frame(data, 1, zeros(1))), enhanceYourCalm),
    ]

    static let half: [Case] = [
        Case(
            "a flood of windows over 2 GiB, each of a stream",
            flood(get(), frame(window, 0, [0x7f, 0xff, 0xff, 0xff])), enhanceYourCalm),
        Case(
            "a stream's window that grows by 0", miss + frame(window, 0, on: 1, zeros(4)),
            protocolError),
        Case(
            "DATA on a stream that is half closed",
            [UInt8](get()[..<8]) + [1] + get()[9...] + frame(data, 1, on: 1, zeros(1)),
            streamClosed),
        Case(
            "a second head on a stream that is half closed",
            [UInt8](get()[..<8]) + [1] + get()[9...] + [UInt8](get()[..<8]) + [1] + get()[9...],
            streamClosed),
        // Frames of RFC 7540's priorities are ignored, as the server's settings say (RFC 9218, section 2.1).
        Case(
            "a priority that depends on itself, and then a PING of 7 bytes",
            frame(priority, 0, on: 1, [0, 0, 0, 1, 16]) + frame(ping, 0, zeros(7)), frameSizeError),
        Case(
            "a head whose priority depends on itself",
            frame(
                headers, 0x25, on: 1,
                [0, 0, 0, 1, 16, 0x82, 0x87, 0x41, 1, 0x61, 0x04, 2] + Array("/x".utf8)),
            protocolError),
        Case("a flood of heads over the limit", flood(get(longField)), enhanceYourCalm),
    ]

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

    @Test(arguments: brokenBodies)
    func `no work begins for streams that the same bytes break`(one: Case) async throws {
        let server = PlayedServer()
        try await EncryptedServer.with(server) { site, _ in
            try await blocking {
                var offer = site.offer
                offer.applications = ["h2"]
                let client = try TLSPeer(port: site.port, offer)
                // One record, which the server reads at once.
                try client.send(Self.preface + Self.frame(Self.settings) + one.bytes)
                #expect(Self.farewells(try client.receive()).last == one.code)
            }
        }
        #expect(server.responder.heads.value == [])
        #expect(server.counters.responded.now == 0)
    }

    @Test(arguments: cases + brokenBodies + half)
    func `a client that breaks the protocol gets GOAWAY with the reason, and the next is served`(
        one: Case
    ) async throws {
        let server = PlayedServer { _, work in
            // Reads no body.
            let (never, _) = AsyncStream<Void>.makeStream()
            for await _ in never {}
            work.fail()
        }
        try await EncryptedServer.with(server) { site, _ in
            try await blocking {
                var offer = site.offer
                offer.applications = ["h2"]
                let client = try TLSPeer(port: site.port, offer)
                let begins = one.testDescription == "no HTTP/2"
                let start = begins ? [] : Self.preface + Self.frame(Self.settings)
                // The server may close before it has read everything.
                try? client.send(start + one.bytes)
                #expect(Self.farewells(try client.receive()).last == one.code)
                #expect(client.isFinished)
            }
            let next = try await site.http2()
            #expect(await next.answer(try await next.ask("/t/a"))?.status == 200)
        }
        await server.allClosed()
    }
}

@Suite(.timeLimit(.minutes(1))) struct HTTP2FrameScanTests {
    private static let preface = HTTP2FrameTests.preface

    private static func frame(_ type: UInt8, _ flags: UInt8, _ count: Int) -> [UInt8] {
        HTTP2FrameTests.frame(type, flags, on: 1, [UInt8](repeating: 0, count: count))
    }

    private func isOpen(after bytes: [UInt8], in pieces: Int) -> Bool {
        var scan = HTTP2FrameScan()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            _ = bytes[start..<min(start + pieces, bytes.count)].withUnsafeBytes { scan.take($0) }
        }
        return scan.isOpen
    }

    @Test func `an HTTP/2 head is incomplete until its last CONTINUATION frame`() {
        let settings = Self.frame(4, 0, 0)
        let start = Self.frame(1, 1, 300)
        let more = Self.frame(9, 0, 20)
        let end = Self.frame(9, 4, 20)
        for pieces in [1, 7, 1_000] {
            #expect(!isOpen(after: Self.preface + settings, in: pieces))
            #expect(isOpen(after: Self.preface + settings + start, in: pieces))
            #expect(isOpen(after: Self.preface + start + more, in: pieces))
            #expect(isOpen(after: Self.preface + start + end.dropLast(), in: pieces))
            #expect(!isOpen(after: Self.preface + start + more + end, in: pieces))
            #expect(!isOpen(after: Self.preface + Self.frame(1, 5, 30), in: pieces))
            #expect(isOpen(after: Self.preface + [0], in: pieces))
        }
    }

    @Test func `an incomplete DATA frame is not an incomplete head`() {
        #expect(!isOpen(after: Self.preface + Self.frame(0, 0, 50).dropLast(), in: 1))
    }

    @Test func `a head right after another one counts as new`() {
        var scan = HTTP2FrameScan()
        let head = Self.frame(1, 5, 10)
        let started = Self.preface + head.dropLast(3)
        let first = started.withUnsafeBytes { scan.take($0) }
        #expect(scan.isOpen && !first)
        let rest = head.suffix(3) + head.dropLast()
        let second = Array(rest).withUnsafeBytes { scan.take($0) }
        #expect(scan.isOpen && second)
    }
}

@Suite(.timeLimit(.minutes(1))) struct HTTP2AbuseTests {
    @Test func `a frame of each kind every second is fine, and a flood is abuse`() {
        var honest = HTTP2Abuse()
        for second in 0..<600 {
            honest.add(
                .init(resets: 1, controls: 1, errors: 1),
                at: 1_000 * second)
            #expect(!honest.isTooMuch)
        }
        for counts in [
            HTTP2Abuse.Counts(resets: 1), .init(controls: 1), .init(errors: 1),
        ] {
            var flood = HTTP2Abuse()
            for _ in 0..<200 { flood.add(counts, at: 1) }
            #expect(!flood.isTooMuch)
            flood.add(counts, at: 1)
            #expect(flood.isTooMuch)
        }
    }
}
