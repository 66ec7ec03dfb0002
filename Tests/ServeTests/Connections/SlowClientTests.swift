import Foundation
import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// What clients may cost that are slow, idle, greedy or gone.
@Suite(.timeLimit(.minutes(1))) struct SlowClientTests {
    private static let path = "/t/m/tvmaze/show/1"
    private let clock = ServerClock()

    /// Show 1 in memory; show 2 has a picture that comes when `gate` opens.
    private func harness(_ gate: Gate = Gate()) async throws -> Harness {
        let harness = try await Harness()
        harness.servePicture(width: 680, height: 1000, maxAge: 100)
        harness.servePicture(2, maxAge: 100, until: gate)
        _ = try await harness.picture(1, "m", .webp)
        return harness
    }

    @Test(arguments: [
        ("GET /" + String(repeating: "a", count: 400), 414),
        ("GET /\(String(repeating: "a", count: 400)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "a", count: 3_000), 431),
        (
            "GET \(path) HTTP/1.1\r\nHost: a\r\nCookie: \(String(repeating: "a", count: 3_000))\r\n\r\n",
            431
        ),
    ])
    func `too large requests are refused and disconnected`(
        sent: String, status: Int
    ) async throws {
        try await RunningServer.with(
            harness(), { ($0.maxTargetBytes, $0.maxHeaderBytes) = (256, 2_048) }
        ) { _, running in
            let connection = try await running.connect()
            try await connection.send(sent)
            let answers = RawAnswer.parse(await connection.receivedUntilClosed())
            #expect(answers.map(\.status) == [status])
            #expect(answers.first?.fields["content-type"] == "application/problem+json")
            #expect(answers.first?.fields["connection"] == "close")
            #expect(running.server.counts.refused == 1)
        }
    }

    @Test func `an incomplete header is answered 408`() async throws {
        try await RunningServer.with(
            harness(),
            { ($0.headerTimeout, $0.uptime) = (.milliseconds(80), clock.read) }
        ) { _, running async throws in
            func statuses(_ sent: String) async throws -> [Int] {
                let client = try await running.connect()
                if !sent.isEmpty { try await client.send(sent) }
                let bytes = await clock.running(by: .milliseconds(20)) {
                    await client.receivedUntilClosed()
                }
                return RawAnswer.parse(bytes).map(\.status)
            }
            #expect(try await statuses("GET /") == [408])
            #expect(try await statuses("").isEmpty)
            let short = request("/healthz", "Content-Length: 9\r\n") + "abc"
            #expect(try await statuses(short) == [200])
            #expect(running.server.counts.timedOut == 3)
        }
    }

    @Test(arguments: ["", "X-Odd: 1\r\n", "Transfer-Encoding: chunked\r\n"])
    func `an idle connection closes after the keep-alive timeout`(field: String) async throws {
        try await RunningServer.with(
            harness(),
            { ($0.keepAliveTimeout, $0.uptime) = (.milliseconds(80), clock.read) }
        ) { _, running in
            let connection = try await running.connect()
            let body = field.hasPrefix("Transfer") ? "0\r\n\r\n" : ""
            try await connection.send(request(Self.path, field) + body)
            let bytes = await clock.running(by: .milliseconds(20)) {
                await connection.receivedUntilClosed()
            }
            #expect(RawAnswer.parse(bytes).count == 1)
            #expect(running.server.counts.timedOut == 1)
        }
    }

    @Test func `a client that doesn't read its responses uses little memory and is disconnected`()
        async throws
    {
        try await RunningServer.with(
            harness(), { $0.sendTimeout = .milliseconds(150) }
        ) { _, running in
            let connection = try await running.connect(reads: false)
            let requests = Array(String(repeating: request(), count: 500).utf8)
            // The server stops reading long before the end, so the test doesn't wait for the
            // send.
            async let sent: Void = {
                for _ in 0..<100 { do { try await connection.send(requests) } catch { return } }
            }()
            await eventually { running.server.counts.timedOut > 0 }
            #expect(running.server.counts.hits < 5_000)
            try? await connection.close()
            await sent
        }
    }

    @Test func `at the connection limit idle connections are closed, and busy ones are not`()
        async throws
    {
        let gate = Gate()
        try await RunningServer.with(harness(gate), { $0.maxConnections = 2 }) { harness, running in
            let busy = try await running.connect()
            try await busy.send(request("/t/m/tvmaze/show/2"))
            try await harness.origin.wait { $0.count("/original/2.jpg") == 1 }
            let idle = try await running.connect()
            try await idle.send(request())
            #expect(await idle.answers(1).count == 1)
            let next = try await running.connect()
            try await next.send(request())
            #expect(await next.answers(1).count == 1)
            _ = await idle.receivedUntilClosed()
            gate.open()
            #expect(await busy.answers(1).map(\.status) == [200])
        }
    }

    @Test func `work without a waiting client is canceled`() async throws {
        try await RunningServer.with(harness()) { harness, running in
            let connection = try await running.connect()
            try await connection.send(request("/t/m/tvmaze/show/2"))
            try await harness.origin.wait { $0.count("/original/2.jpg") == 1 }
            #expect(harness.pipeline.pictures.waiting(for: harness.item(2)) == 1)
            try await connection.close()
            await eventually { harness.pipeline.pictures.waiting(for: harness.item(2)) == 0 }
        }
    }

    @Test func `stopping the server closes idle connections at once and finishes the others`()
        async throws
    {
        let gate = Gate()
        // Nobody else listens there once the server has finished.
        let reserved = try LoopbackPort()
        try await RunningServer.with(harness(gate), { $0.port = reserved.number }) {
            harness, running in
            let idle = try await running.connect()
            try await idle.send(request())
            #expect(await idle.answers(1).count == 1)
            let busy = try await running.connect()
            try await busy.send(request() + request("/t/m/tvmaze/show/2") + request())
            try await harness.origin.wait { $0.count("/original/2.jpg") == 1 }
            running.stopAccepting()
            _ = await idle.receivedUntilClosed()
            gate.open()
            let answers = RawAnswer.parse(await busy.receivedUntilClosed())
            #expect(answers.map(\.status) == [200, 200])
            try await running.finished()
            await #expect(throws: (any Error).self) { try await running.connect() }
        }
        withExtendedLifetime(reserved) {}
    }
}
