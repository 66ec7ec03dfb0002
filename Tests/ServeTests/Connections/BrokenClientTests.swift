import Imaging
import Logging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Clients that send nonsense, stop in the middle or go away: none of them costs the next one
/// anything, or stays behind.
@Suite(.timeLimit(.minutes(1))) struct BrokenClientTests {
    struct Client: Sendable {
        var name: String
        var act: @Sendable (RunningServer) async throws -> Void

        init(_ name: String, _ act: @escaping @Sendable (RunningServer) async throws -> Void) {
            (self.name, self.act) = (name, act)
        }

        /// Sends that, and takes what comes until the server closes: one answer with such a status.
        static func refused(_ name: String, _ sent: [UInt8], _ statuses: Set<Int>) -> Client {
            Client(name) { running in
                let connection = try await running.connect()
                // The server may close before all of it is sent.
                _ = try? await connection.send(sent)
                let answers = RawAnswer.parse(await connection.receivedUntilClosed())
                #expect(statuses.map { [$0] }.contains(answers.map(\.status)), "\(answers)")
            }
        }

        /// Sends bytes and resets the connection, like a client that loses its network.
        static func reset(_ name: String, _ sent: String) -> Client {
            Client(name) { running in
                let connection = try await running.connect()
                try await connection.send(sent)
                try await connection.reset()
            }
        }
    }

    private static let token = "a-token-of-the-operator"
    private static let hit = "/t/m/tvmaze/show/1"
    private static let large = "/o/tvmaze/show/1"
    private static let favorite = "/v1/favorites/tvmaze/show/1"

    private static func put(_ fields: String) -> String {
        request(favorite, fields, method: "PUT")
    }

    /// An order, of which the body is read.
    private static func chunked(_ size: String) -> [UInt8] {
        let fields =
            "Authorization: Bearer \(token)\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n"
        let head = request("/admin/purge", fields, method: "POST")
        return Array((head + size + "\r\nabc\r\n").utf8)
    }

    static let clients: [Client] = [
        .reset("half a head, then a reset", "GET /t/m/tvm"),
        .reset("half a body, then a reset", put("Content-Length: 100\r\n") + "abc"),
        .reset("a hit, then a reset", request()),
        .reset("a miss, then a reset", request("/t/s/tvmaze/show/1.png")),
        .reset("many requests, then a reset", String(repeating: request(large), count: 20)),
        .refused(
            "bytes of no protocol", (1...255).map { UInt8($0) } + Array("\r\n\r\n".utf8), [400]),
        .refused("zeros", [UInt8](repeating: 0, count: 999), [400]),
        .refused("the start of a TLS handshake", [0x16, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3], [400]),
        .refused("SSH", Array("SSH-2.0-OpenSSH_9.2\r\n".utf8), [400]),
        .refused("a chunk larger than any number", chunked("ffffffffffffffffff"), [400]),
        .refused(
            "ten thousand fields",
            Array(request(hit, String(repeating: "X: y\r\n", count: 10_000)).utf8), [431]),
        Client("connects and goes") { running in
            try await running.connect().close()
        },
        Client("reads nothing and goes while its answer is written") { running in
            func answers() -> Int {
                running.server.counts.responded + running.server.counts.others
            }
            let before = answers()
            let connection = try await running.connect(reads: false)
            try await connection.send(request(large))
            await eventually { answers() > before }
            try await connection.close()
        },
        Client("reads some and resets while its answer is written") { running in
            let connection = try await running.connect()
            try await connection.send(request(large) + request(large))
            _ = await connection.received { $0.count > 100_000 }
            try await connection.reset()
        },
        Client("sends byte by byte") { running in
            let connection = try await running.connect()
            for byte in request(hit, "X-Odd: 1\r\n").utf8 { try await connection.send([byte]) }
            #expect(await connection.answers(1).map(\.status) == [200])
            try await connection.close()
        },
        Client("asks for a hit and sends no more") { running in
            let connection = try await running.connect()
            try await connection.send(request())
            try await connection.finish()
            let answers = RawAnswer.parse(await connection.receivedUntilClosed())
            #expect(answers.map(\.status) == [200])
        },
        // Such a one is taken for gone; that its connection ends is what counts.
        Client("asks for a miss and sends no more") { running in
            let connection = try await running.connect()
            try await connection.send(request("/t/l/tvmaze/show/1.png"))
            try await connection.finish()
            _ = await connection.receivedUntilClosed()
        },
    ]

    @Test func `broken clients leave no resources behind, and the next client is served`()
        async throws
    {
        try await withHarness { harness in
            harness.serveShow(1, medium: nil)
            let picture = FixtureImages.jpeg(width: 680, height: 1000, seed: 1)
            // More than any socket takes at once.
            let large = picture + [UInt8](repeating: 0, count: 16 << 20)
            harness.origin.on("/original/1.jpg", .jpeg(large, maxAge: 100))
            _ = try await harness.picture(1, "m", .webp)
            let log = RecordedLog()
            try await RunningServer.with(
                harness.pipeline, { $0.adminToken = AdminToken(Self.token) },
                logger: log.logger(.trace)
            ) { running in
                for client in Self.clients {
                    try await client.act(running)
                    await eventually { running.server.counts.open == 0 }
                    let next = try await running.connect()
                    try await next.send(request() + request("/healthz"))
                    #expect(await next.answers(2).map(\.status) == [200, 200], "\(client.name)")
                    try await next.close()
                    #expect(!log.all.contains { $0.level >= .warning }, "\(client.name)")
                }
            }
            #expect(!log.all.contains { "\($0)".contains(Self.token) })
        }
    }
}
