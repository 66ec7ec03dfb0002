import Logging
import Pipeline
import PipelineSupport
import Serve
import TestSupport
import Testing

/// Clients that don't come to an agreement: none of them costs the next one anything, or stays.
@Suite(.timeLimit(.minutes(1))) struct TLSHandshakeTests {
    struct Client: Sendable {
        var name: String
        /// Whether it does nothing more after `act`, and the server closes.
        var isSlow = false
        var act: @Sendable (RawConnection) async throws -> Void
    }

    /// TLS 1.2, and no more than what the server needs to answer.
    private static let hello: [UInt8] = {
        func counted(_ bytes: [UInt8], by size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) }
                + bytes
        }
        let groups: [UInt8] = [0, 10] + counted(counted([0, 0x1D, 0, 0x17], by: 2), by: 2)
        let signatures: [UInt8] = [0, 13] + counted(counted([4, 3, 8, 4], by: 2), by: 2)
        let random = [UInt8](repeating: 7, count: 32)
        let suites = counted([0xC0, 0x2B, 0xC0, 0x2F], by: 2)
        let body = [3, 3] + random + [0] + suites + [1, 0] + counted(groups + signatures, by: 2)
        return [0x16, 3, 1] + counted([1] + counted(body, by: 3), by: 2)
    }()
    private static let half = Array(hello.prefix(hello.count / 2))

    private static func sends(_ name: String, _ bytes: [UInt8]) -> Client {
        Client(name: name) { connection in
            try await connection.send(bytes)
            _ = await connection.receivedUntilClosed()
        }
    }

    private let clock = ServerClock()

    static let clients: [Client] = [
        Client(name: "connects and goes") { try await $0.close() },
        Client(name: "half a greeting, then gone") { connection in
            try await connection.send(half)
            try await connection.close()
        },
        Client(name: "half a greeting, then no more to say") { connection in
            try await connection.send(half)
            try await connection.finish()
            _ = await connection.receivedUntilClosed()
        },
        Client(name: "half a greeting, then a reset") { connection in
            try await connection.send(half)
            try await connection.reset()
        },
        Client(name: "a greeting, then gone") { connection in
            try await connection.send(hello)
            _ = await connection.received { !$0.isEmpty }
            try await connection.close()
        },
        Client(name: "a greeting, then a reset") { connection in
            try await connection.send(hello)
            _ = await connection.received { !$0.isEmpty }
            try await connection.reset()
        },
        sends("HTTP without TLS", Array(request().utf8)),
        sends("bytes of no protocol", (0...255).map { UInt8($0) }),
        sends("a greeting, then bytes of no protocol", hello + (0...255).map { UInt8($0) }),
        Client(name: "says nothing", isSlow: true) { _ in },
        Client(name: "half a greeting, then nothing", isSlow: true) { connection in
            try await connection.send(half)
        },
        Client(name: "a greeting, then nothing", isSlow: true) { connection in
            try await connection.send(hello)
            #expect(await connection.received { !$0.isEmpty }.first == 0x16)
        },
    ]

    @Test func `clients that break the handshake leave nothing behind, and the next is served`()
        async throws
    {
        let log = RecordedLog()
        // The one place there is has to become free again.
        let bounds: (inout ServerConfiguration) -> Void = {
            $0.maxConnections = 1
            $0.headerTimeout = .seconds(5)
            $0.uptime = clock.read
        }
        try await TLSSite.with(Harness(), bounds, log: log) { _, site in
            for client in Self.clients {
                let late = site.server.counts.timedOut
                let connection = try await site.running.connect()
                try await client.act(connection)
                if client.isSlow {
                    await clock.running(by: .seconds(1)) {
                        _ = await connection.receivedUntilClosed()
                    }
                }
                await eventually { site.server.counts.open == 0 }
                #expect(
                    site.server.counts.timedOut == late + (client.isSlow ? 1 : 0), "\(client.name)")
                let next = try await site.connect()
                try await next.send(request("/healthz"))
                #expect(await next.answers(1).map(\.status) == [200], "\(client.name)")
                try await next.close()
                let modern = try await site.http2()
                let stream = try await modern.ask("/healthz")
                #expect(await modern.answer(stream)?.status == 200, "\(client.name)")
                try await modern.close()
                await eventually { site.server.counts.open == 0 }
            }
        }
        let lines = log.all.filter { $0.message != "request" && $0.level >= .info }
        #expect(
            lines.map(\.message)
                == ["A client sent HTTP without TLS. This address answers https:// only."])
    }

    @Test func `TLS on a plain port is closed with one line in the log`() async throws {
        try await withHarness { harness in
            let log = RecordedLog()
            try await RunningServer.with(harness.pipeline, logger: log.logger(.trace)) { running in
                let connection = try await running.connect()
                try await connection.send(Self.hello)
                let answers = RawAnswer.parse(await connection.receivedUntilClosed())
                #expect(answers.map(\.status) == [400])
            }
            #expect(
                log.all.map(\.message) == ["A client sent TLS. This address answers http:// only."])
        }
    }

    @Test func `a name that the certificate is not for is one line in the log`() async throws {
        try await withHarness { harness in
            let log = RecordedLog()
            try await TLSSite.with(harness.pipeline, log: log) { site in
                _ = try await blocking {
                    var offer = TLSOffer(site.authority)
                    offer.askedName = "other.example"
                    let peer = try TLSPeer(port: site.running.port, offer)
                    try peer.send(request("/healthz", "Connection: close\r\n"))
                    return try peer.receive()
                }
            }
            let lines = log.all.filter { $0.message != "request" }
            #expect(
                lines.map(\.message)
                    == ["A client asked for a name that the certificate is not for."])
            #expect(lines.first?.fields["name"] == "other.example")
        }
    }

    @Test func `a client that times out is disconnected without waiting for its close_notify`()
        async throws
    {
        try await TLSSite.with(
            Harness(), { ($0.headerTimeout, $0.uptime) = (.seconds(5), clock.read) }
        ) { _, site in
            let deaf = try await site.connect()
            try await deaf.send(request("/healthz"))
            #expect(await deaf.answers(1).map(\.status) == [200])
            try await deaf.stopReading()
            try await deaf.send(
                request("/admin/purge", "Content-Length: 9\r\n", method: "POST") + "abc")
            await clock.running(by: .seconds(1)) {
                await eventually { site.server.counts.timedOut > 0 }
            }
            await eventually { site.server.counts.open == 0 }
            #expect(site.server.counts.open == 0)
        }
    }
}
