import Foundation
import Imaging
import Logging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// What clients may cost that speak HTTP/2: each stream, and the connection as a whole.
@Suite(.timeLimit(.minutes(1))) struct HTTP2Tests {
    private static let hit = "/t/m/tvmaze/show/1"
    private static let large = "/o/tvmaze/show/1"
    private static let miss = "/t/m/tvmaze/show/2"
    private static let largeSize = 16 << 20

    /// Show 1 in memory, with an original that is larger than any window or socket buffer; show 2 has
    /// a picture that comes when `gate` opens.
    private let clock = ServerClock()

    private func with(
        _ gate: Gate = Gate(), _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TLSSite, Harness) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            for id in [1, 2] { harness.serveShow(id, medium: nil) }
            let picture = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
            let large = picture + [UInt8](repeating: 0, count: Self.largeSize - picture.count)
            harness.origin.on("/original/1.jpg", .jpeg(large, maxAge: 100))
            harness.origin.on(
                "/original/2.jpg", .jpeg(picture, maxAge: 100).delayed(until: gate))
            _ = try await harness.picture(1, "m", .webp)
            let log = RecordedLog()
            try await TLSSite.with(
                harness.pipeline,
                {
                    $0.uptime = clock.read
                    adjust(&$0)
                }, log: log
            ) { site in
                try await body(site, harness)
            }
            #expect(log.all.filter { $0.level >= .warning }.isEmpty)
        }
    }

    @Test func `a client that only opens and resets streams is disconnected`() async throws {
        try await with { site, harness in
            let flood = try await site.http2()
            var asked = 0
            // More than any honest client sends. The server's limit is 200 within half a minute.
            while asked < 2_000, let stream = try? await flood.ask(Self.miss) {
                asked += 1
                do { try await flood.reset(stream) } catch { break }
            }
            let state = await flood.state { $0.isClosed }
            #expect(state.isClosed)
            #expect(asked >= 200)
            await eventually { harness.pipeline.pictures.waiting(for: harness.item(2)) == 0 }
            let client = try await site.http2()
            let stream = try await client.ask(Self.hit)
            #expect(await client.answer(stream)?.status == 200)
            await eventually { site.server.counts.open <= 1 }
        }
    }

    @Test func `a stream that stops reading is reset, and others continue`()
        async throws
    {
        try await with(Gate(), { $0.sendTimeout = .milliseconds(500) }) { site, _ in
            let client = try await site.http2()
            let stuck = try await client.ask(Self.large)
            await client.state { $0.streams[stuck]?.bytes == 65_535 }
            let answer = try await clock.running(by: .milliseconds(200)) {
                try #require(await client.answer(stuck))
            }
            #expect(answer.reset != nil)
            #expect(answer.bytes == 65_535)
            #expect(site.server.counts.timedOut == 1)
            let next = try await client.ask(Self.hit)
            #expect(await client.answer(next)?.status == 200)
        }
    }

    @Test func `a stream continues while its client reads slowly`() async throws {
        try await with(Gate(), { $0.sendTimeout = .seconds(1) }) { site, _ in
            let client = try await site.http2()
            let window = 65_535
            let stream = try await client.ask(Self.large)
            await client.state { $0.streams[stream]?.bytes == window }
            // It has its own connection, because streams of one connection wait for each other.
            let other = try await site.http2()
            let stuck = try await other.ask(Self.large)
            await other.state { $0.streams[stuck]?.bytes == window }
            // It reads a little at a time until the other stream, which reads nothing, is reset.
            var given = window
            var isReset = false
            while !isReset, given < Self.largeSize, !Task.isCancelled {
                try await client.giveWindow(4_096, of: stream)
                given += 4_096
                let bytes = given
                let state = await client.state { state in
                    state.streams[stream].map { $0.bytes >= bytes || $0.reset != nil } ?? false
                }
                try #require(state.streams[stream]?.reset == nil)
                await clock.advance(by: .milliseconds(100))
                isReset = await other.state { _ in true }.streams[stuck]?.reset != nil
            }
            try #require(isReset)
            try await client.giveWindow(Self.largeSize, of: stream)
            let answer = try #require(await client.answer(stream))
            #expect(answer.isEnded && answer.bytes == Self.largeSize, "\(answer)")
        }
    }

    @Test func `a stream without window is reset beside a busy one`() async throws {
        try await with(Gate(), { $0.sendTimeout = .milliseconds(500) }) { site, _ in
            let client = try await site.http2()
            let stuck = try await client.ask(Self.large)
            await client.state { $0.streams[stuck]?.bytes == 65_535 }
            let busy = try await client.ask(Self.large)
            try await client.giveWindow(Self.largeSize, of: busy)
            try await client.stopReading()
            var state = await client.state { _ in true }
            while !state.isClosed, state.streams[stuck]?.reset == nil,
                state.streams[busy]?.isEnded != true
            {
                // The busy stream's bytes fill the connection for as long as this client reads them.
                for _ in 0..<32 where state.streams[stuck]?.reset == nil {
                    let last = state.streams[busy]?.bytes
                    client.readOnce()
                    state = await client.state {
                        $0.streams[busy]?.bytes != last || $0.streams[stuck]?.reset != nil
                    }
                }
                // Without events the server's threads read the clock at their ticks only.
                for _ in 0..<4 { await clock.advance(by: .milliseconds(50)) }
            }
            #expect(state.streams[stuck]?.reset != nil)
            #expect(state.streams[busy]?.isEnded == false)
            #expect(state.streams[busy]?.reset == nil)
        }
    }

    @Test func `an HTTP/2 client that stops reading is disconnected`() async throws {
        try await with(Gate(), { $0.sendTimeout = .milliseconds(500) }) { site, _ in
            // The window is as large as possible, so that only the socket delays the response.
            let client = try await site.http2(window: 1 << 30)
            try await client.stopReading()
            try await client.ask(Self.large)
            await clock.running(by: .milliseconds(200)) {
                await eventually { site.server.counts.timedOut > 0 }
                await eventually { site.server.counts.open == 0 }
            }
            let next = try await site.http2()
            let other = try await next.ask(Self.hit)
            #expect(await next.answer(other)?.status == 200)
        }
    }

    private static let token = "a-token-of-the-operator"

    @Test func `a stream with a too slow body is reset, and others continue`() async throws {
        let limits: (inout ServerConfiguration) -> Void = {
            ($0.headerTimeout, $0.minBodyRate) = (.seconds(5), 1 << 20)
            $0.adminToken = AdminToken(Self.token)
        }
        try await with(Gate(), limits) { site, _ in
            let client = try await site.http2()
            let fields = [
                ("authorization", "Bearer \(Self.token)"), ("content-type", "application/json"),
            ]
            let stuck = try await client.ask(
                "/admin/purge", method: "POST", fields: fields, ends: false)
            // The rate counts, not the activity.
            for _ in 0..<100 { do { try await client.send("a", on: stuck) } catch { break } }
            await clock.running(by: .seconds(1)) {
                _ = await client.state { $0.streams[stuck]?.reset != nil }
            }
            #expect(site.server.counts.timedOut == 1)
            let next = try await client.ask(Self.hit)
            #expect(await client.answer(next)?.status == 200)
        }
    }

    @Test(arguments: [("GET", 405), ("POST", 401)])
    func `the rest of an answered request is not waited for`(
        method: String, status: Int
    ) async throws {
        try await with(Gate(), { $0.adminToken = AdminToken(Self.token) }) { site, _ in
            let client = try await site.http2()
            let stream = try await client.ask("/admin/purge", method: method, ends: false)
            let state = await client.state { $0.streams[stream]?.reset != nil }
            // NO_ERROR: the answer is whole.
            #expect(state.streams[stream]?.reset == 0)
            #expect(state.streams[stream]?.status == status)
            #expect(state.streams[stream]?.isEnded == true)
            #expect(site.server.counts.timedOut == 0)
        }
    }

    @Test func `the header timeout counts from the first byte of a head in CONTINUATION frames`()
        async throws
    {
        try await with(Gate(), { $0.headerTimeout = .seconds(2) }) { site, _ in
            let client = try await site.connect(["h2"])
            async let end = client.receivedUntilClosed()
            let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
            // HEADERS without their end, then a CONTINUATION of 200 bytes.
            let head: [UInt8] = [0, 0, 1, 1, 1, 0, 0, 0, 1, 0x82]
            let more: [UInt8] = [0, 0, 200, 9, 4, 0, 0, 0, 1]
            do {
                try await client.send(
                    Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings + head + more)
                while true {
                    try Task.checkCancellation()
                    try await client.send([0x82])
                    await clock.advance(by: .milliseconds(500))
                }
            } catch {
                // It is closed.
            }
            _ = await end
            #expect(site.server.counts.timedOut == 1)
        }
    }

    @Test func `an idle connection gets GOAWAY, and one that stays is disconnected`()
        async throws
    {
        let times: (inout ServerConfiguration) -> Void = {
            ($0.keepAliveTimeout, $0.headerTimeout) = (.seconds(1), .seconds(5))
        }
        try await with(Gate(), times) { site, _ in
            let obedient = try await site.http2()
            let first = try await obedient.ask(Self.hit)
            #expect(await obedient.answer(first)?.status == 200)
            let state = await clock.running(by: .milliseconds(500)) {
                await obedient.state { $0.isClosed }
            }
            #expect(state.farewells.allSatisfy { $0 == 0 } && !state.farewells.isEmpty)
            // It negotiates HTTP/2 and sends nothing.
            let mute = try await site.connect(["h2"])
            _ = await clock.running(by: .seconds(1)) { await mute.receivedUntilClosed() }
            let deaf = try await site.http2()
            let stream = try await deaf.ask(Self.hit)
            #expect(await deaf.answer(stream)?.status == 200)
            try await deaf.stopReading()
            await clock.running(by: .seconds(1)) {
                await eventually { site.server.counts.open == 0 }
            }
            #expect(site.server.counts.timedOut == 3)
        }
    }

    @Test func `at the connection limit idle HTTP/2 connections are closed`() async throws {
        try await with(Gate(), { $0.maxConnections = 1 }) { site, _ in
            let idle = try await site.http2()
            let stream = try await idle.ask(Self.hit)
            #expect(await idle.answer(stream)?.status == 200)
            let next = try await site.http2()
            let other = try await next.ask(Self.hit)
            #expect(await next.answer(other)?.status == 200)
            #expect(await idle.state { $0.isClosed }.isClosed)
        }
    }

    @Test func `responses fit the table of fields that the client allows`() async throws {
        try await with { site, _ in
            let client = try await site.http2()
            var answers: [HTTP2Client.Stream] = []
            for size in [4_096, 0, 64, 65_536, 4_096] {
                let seen = await client.state { _ in true }.acknowledgments
                try await client.setTableSize(size)
                await client.state { $0.acknowledgments > seen }
                for fields in [[], [], [], [("x-odd", "1")]] {
                    let stream = try await client.ask(Self.hit, fields: fields)
                    answers.append(try #require(await client.answer(stream)))
                }
            }
            #expect(answers.count == 20)
            for answer in answers {
                #expect(answer.status == 200)
                // Each is decoded as it was encoded.
                #expect(answer.fields["etag"] == answers[0].fields["etag"])
                #expect(answer.fields["content-length"] == answers[0].fields["content-length"])
            }
        }
    }
}
