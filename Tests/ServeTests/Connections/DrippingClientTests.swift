import Imaging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Clients that send a byte at a time, so that they never seem to stop.
@Suite(.timeLimit(.minutes(1))) struct DrippingClientTests {
    private static let token = "a-token-of-the-operator"
    private static let admin =
        "Authorization: Bearer \(token)\r\nContent-Type: application/json\r\n"

    private let clock = ServerClock()

    private func serving(
        _ adjust: (inout ServerConfiguration) -> Void,
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            harness.servePicture(maxAge: 100)
            _ = try await harness.picture(1, "m", .webp)
            try await RunningServer.with(
                harness.pipeline,
                {
                    $0.adminToken = AdminToken(Self.token)
                    $0.uptime = clock.read
                    adjust(&$0)
                }, body)
        }
    }

    /// Sends `start`, and then a `drop` per `pause` of the server's clock until the server closes.
    /// Returns the responses.
    private func drip(
        _ start: String, _ drop: String = "a", pause: Duration = .milliseconds(100),
        to running: RunningServer
    ) async throws -> [RawAnswer] {
        let connection = try await running.connect()
        async let bytes = connection.receivedUntilClosed()
        do {
            try await connection.send(start)
            while true {
                try Task.checkCancellation()
                try await connection.send(drop)
                await clock.advance(by: pause)
            }
        } catch {
            // The server has closed it, or the test is over.
        }
        return RawAnswer.parse(await bytes)
    }

    @Test(arguments: [
        "", "Transfer-Encoding: chunked\r\n", "Expect: 100-continue\r\nContent-Length: 1\r\n",
        "Upgrade: h2c\r\nConnection: upgrade\r\n",
    ])
    func `the header timeout counts from the first byte, however the head begins`(field: String)
        async throws
    {
        try await serving({ $0.headerTimeout = .seconds(2) }) { running in
            let answers = try await untilAnswered {
                try await drip(
                    "POST /healthz HTTP/1.1\r\nHost: a\r\n\(field)X: ",
                    pause: .milliseconds(500), to: running)
            }
            #expect(answers.map(\.status) == [408])
        }
    }

    @Test(arguments: ["Content-Length: 100000\r\n", "Transfer-Encoding: chunked\r\n"])
    func `a body below the minimum rate is answered 408`(field: String) async throws {
        let rate: (inout ServerConfiguration) -> Void = {
            ($0.headerTimeout, $0.minBodyRate) = (.seconds(2), 1 << 20)
        }
        let chunk = field.hasPrefix("Transfer") ? "1\r\na\r\n" : "a"
        try await serving(rate) { running in
            let answers = try await untilAnswered {
                try await drip(
                    request("/admin/purge", Self.admin + field, method: "POST"), chunk,
                    pause: .milliseconds(500), to: running)
            }
            #expect(answers.map(\.status) == [408])
        }
    }

    @Test func `a body over the body timeout is answered 408`() async throws {
        let time: (inout ServerConfiguration) -> Void = {
            ($0.bodyTimeout, $0.minBodyRate) = (.milliseconds(400), 0)
        }
        try await serving(time) { running in
            let fields = Self.admin + "Content-Length: 100000\r\n"
            let answers = try await drip(
                request("/admin/purge", fields, method: "POST"), to: running)
            #expect(answers.map(\.status) == [408])
        }
    }

    @Test(arguments: ["Content-Length: 1000000000\r\n", "Transfer-Encoding: chunked\r\n"])
    func `the response to a long unread body closes the connection`(field: String) async throws {
        try await serving({ $0.lingerTimeout = .milliseconds(400) }) { running in
            let answers = try await drip(request("/healthz", field), "1\r\na\r\n", to: running)
            #expect(answers.map(\.status) == [200])
            #expect(answers.first?.fields["connection"] == "close")
        }
    }

    @Test func `only a little is read after a response`() async throws {
        let little: (inout ServerConfiguration) -> Void = {
            ($0.maxLingerBytes, $0.lingerTimeout) = (10, .seconds(600))
        }
        try await serving(little) { running in
            let answers = try await drip(
                request("/healthz", "Content-Length: 1000000\r\n"),
                String(repeating: "a", count: 100), to: running)
            #expect(answers.map(\.status) == [200])
        }
    }

    @Test func `a short body may arrive after its response`() async throws {
        try await serving({ $0.lingerTimeout = .seconds(600) }) { running in
            let connection = try await running.connect()
            try await connection.send(request("/healthz", "Content-Length: 9\r\n") + "abc")
            let first = await connection.answers(1)
            #expect(first.first?.fields["connection"] == nil)
            try await connection.send("defghi" + request())
            #expect(await connection.answers(2).map(\.status) == [200, 200])
        }
    }

    @Test func `dripping connections are closed for others`() async throws {
        try await serving({ $0.maxConnections = 2 }) { running in
            // The kernel keeps a connection for a second that has sent nothing.
            let begun = try await running.connect()
            try await begun.send("G")
            let half = try await running.connect()
            try await half.send("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nX")
            // No connection is idle: one of those has to go.
            let other = try await running.connect()
            try await other.send(request("/healthz"))
            let answers = await clock.running(by: .seconds(1)) { await other.answers(1) }
            #expect(answers.map(\.status) == [200])
            withExtendedLifetime((begun, half)) {}
        }
    }

    @Test func `dripping handshakes are closed for others`() async throws {
        try await TLSSite.with(Harness(), { $0.maxConnections = 1 }) { _, site in
            let begun = try await site.running.connect()
            try await begun.send("\u{16}")
            let next = try await site.connect()
            try await next.send(request("/healthz"))
            #expect(await next.answers(1).map(\.status) == [200])
            _ = await begun.receivedUntilClosed()
        }
    }
}
