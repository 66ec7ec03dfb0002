import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Streams of events, which last, beside requests that end.
@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
    private static let accept = "Accept: text/event-stream\r\n"
    /// Streams of events that 48 connections leave room for.
    private static let places = 3

    /// Returns the head of a response that has begun.
    private static func head(_ client: RawConnection) async -> String {
        let end = Array("\r\n\r\n".utf8)
        let bytes = await client.received { $0.firstRange(of: end) != nil }
        return String(
            decoding: bytes.prefix(bytes.firstRange(of: end)?.lowerBound ?? 0), as: UTF8.self
        )
        .lowercased()
    }

    private static func follow(_ running: RunningServer) async throws -> RawConnection {
        let client = try await running.connect()
        try await client.send(request("/v1/status", accept))
        return client
    }

    /// Returns that many clients, and what each got.
    private static func followAll(
        _ running: RunningServer, _ count: Int
    ) async throws -> ([RawConnection], heads: [String]) {
        var clients: [RawConnection] = []
        var heads: [String] = []
        for _ in 0..<count {
            let client = try await follow(running)
            let head = await head(client)
            clients.append(client)
            heads.append(head)
        }
        return (clients, heads)
    }

    /// Returns a client whose stream was accepted, as soon as one is.
    private static func followWhenFree(_ running: RunningServer) async throws -> RawConnection {
        while true {
            try Task.checkCancellation()
            let client = try await follow(running)
            let head = await head(client)
            if head.hasPrefix("http/1.1 200") { return client }
        }
    }

    @Test func `as many silent streams as there are connections leave most of them to others`()
        async throws
    {
        try await withHarness(HitSite.harness()) { harness in
            try await RunningServer.with(harness.pipeline, { $0.maxConnections = 48 }) { running in
                try await Self.checkSilentStreams(running)
            }
        }
    }

    private static func checkSilentStreams(_ running: RunningServer) async throws {
        let (clients, heads) = try await followAll(running, 48)
        let accepted = heads.filter { $0.hasPrefix("http/1.1 200") }
        #expect(accepted.count == places)
        let refused = heads.filter { $0.hasPrefix("http/1.1 503") }
        #expect(refused.count == 48 - places)
        #expect(refused.allSatisfy { $0.contains("retry-after: 10") })
        let hit = try await ask(running)
        #expect(hit.isFast)
        for path in ["/healthz", "/v1/status"] {
            let other = try await ask(running, path)
            #expect(other.answer.status == 200)
        }
        // A place is another client's once its client has gone.
        try await clients[0].close()
        let next = try await followWhenFree(running)
        try await next.close()
        for client in clients.dropFirst() { try await client.close() }
    }

    @Test func `streams of events over HTTP/2 leave responders to others`() async throws {
        try await TLSSite.with(HitSite.harness(), { $0.maxConnections = 48 }) { _, site in
            var clients: [HTTP2Client] = []
            var statuses: [Int?] = []
            for _ in 0..<5 {
                let client = try await site.http2()
                var streams: [Int] = []
                for _ in 0..<100 {
                    streams.append(
                        try await client.ask(
                            "/v1/status", fields: [("accept", "text/event-stream")]))
                }
                let all = streams
                let state = await client.state { state in
                    all.allSatisfy { state.streams[$0]?.status != nil }
                }
                statuses += streams.map { state.streams[$0]?.status }
                clients.append(client)
            }
            #expect(statuses.count { $0 == 200 } == Self.places)
            #expect(statuses.count { $0 == 503 } == 500 - Self.places)
            let other = try await site.http2()
            for path in [HitSite.path, "/healthz", "/metrics"] {
                let stream = try await other.ask(path)
                #expect(await other.answer(stream)?.status == 200)
            }
            withExtendedLifetime(clients) {}
        }
    }

    @Test(arguments: [
        // Connections, places, and those of one client.
        (0, 1, 1), (1, 1, 1), (48, 3, 1), (288, 18, 4), (1_000, 62, 8), (10_000, 256, 8),
    ])
    func `a sixteenth of the connections are streams of events, and few of one client`(
        connections: Int, all: Int, ofClient: Int
    ) {
        let places = EventPlaces(connections: connections)
        #expect(places.limit == all && places.limitOfClient == ofClient)
        var held = (0..<1_000).map { _ in places.take("192.0.2.1") }
        #expect(held.count { $0 != nil } == ofClient)
        held += (0..<1_000).map { _ in places.take(nil) }
        #expect(held.count { $0 != nil } == all && places.taken == all)
        held = []
        #expect(places.taken == 0 && places.take("192.0.2.1") != nil)
    }
}
