import Memory
import PipelineSupport
import TestSupport
import Testing

@testable import Serve

/// Bodies that responders have made and clients don't take.
@Suite(.timeLimit(.minutes(1))) struct HeldBodyTests {
    private static let limit = 1 << 20

    @Test
    func `a client that takes nothing leaves room for others, and small bodies always find some`() {
        let budget = ByteBudget(bytes: Self.limit, isSplit: false)
        let bodies = HeldBodies(budget)
        var held: [(any AnyObject & Sendable)?] = []
        /// How many of 100 bodies find room.
        func take(_ bytes: Int, _ client: HeldBodies.Client) -> Int {
            let taken = (0..<100).map { _ in bodies.take(bytes, for: client) }
            held += taken
            return taken.count { $0 != nil }
        }
        // A quarter for one client, or one body of half of what is free.
        #expect(take(60_000, .connection(1)) == 4)
        #expect(take(300_000, .address("192.0.2.1")) == 1)
        #expect(take(400_000, .connection(2)) == 0)
        for client in 3..<50 { _ = take(30_000, .connection(client)) }
        #expect(take(30_000, .connection(50)) == 0)
        // Refusals end first, so that what is small is sent.
        for client in 100..<400 {
            _ = bodies.take(300, for: .connection(client), isRefusal: true).map { held.append($0) }
        }
        #expect(bodies.take(300, for: .connection(400), isRefusal: true) == nil)
        #expect(bodies.take(300, for: .connection(401)) != nil)
        #expect(budget.load.held <= Self.limit)
        held = []
        #expect(budget.load.held == 0 && bodies.take(400_000, for: .connection(1)) != nil)
    }

    @Test func `without room a connection has four small bodies that it doesn't take`() {
        let bodies = HeldBodies(ByteBudget(bytes: 1 << 10, isSplit: false))
        let all = bodies.take(1, for: .connection(1))
        #expect(bodies.take(3, for: .connection(1)) == nil)
        var held: [(any AnyObject & Sendable)?] = []
        /// How many of 100 bodies are sent.
        func take(_ bytes: Int, _ connection: Int) -> Int {
            let taken = (0..<100).map { _ in bodies.takeSmall(bytes, on: connection) }
            held += taken
            return taken.count { $0 != nil }
        }
        #expect(take(257, 1) == 0)
        #expect(take(256, 1) == 4 && take(3, 1) == 0 && take(3, 2) == 4)
        held = []
        #expect(take(3, 1) == 4)
        withExtendedLifetime(all) {}
    }

    @Test func `bodies that streams with closed windows don't take are counted, and bounded`()
        async throws
    {
        try await TLSSite.with(
            HitSite.harness(), { ($0.responseBytes, $0.maxConnections) = (Self.limit, 100) }
        ) { _, site in
            var clients: [HTTP2Client] = []
            var statuses: [Int?] = []
            for _ in 0..<8 {
                let client = try await site.http2(window: 0)
                var streams: [Int] = []
                for _ in 0..<100 { streams.append(try await client.ask("/metrics")) }
                let all = streams
                let state = await client.state { state in
                    all.allSatisfy { state.streams[$0]?.status != nil }
                }
                statuses += streams.map { state.streams[$0]?.status }
                clients.append(client)
            }
            let load = site.server.responseLoad
            #expect(statuses.contains(200) && statuses.contains(503))
            #expect(statuses.allSatisfy { $0 == 200 || $0 == 503 })
            #expect(load.held > load.limit / 4 && load.held <= load.limit)
            // Others get what is small.
            let other = try await site.http2()
            let health = try await other.ask("/healthz")
            #expect(await other.answer(health)?.status == 200)
            for client in clients { try await client.close() }
            await eventually { site.server.responseLoad.held == 0 }
            let metrics = try await other.ask("/metrics")
            #expect(await other.answer(metrics)?.status == 200)
        }
    }

    @Test func `small bodies that streams with closed windows don't take don't add up`()
        async throws
    {
        // Room for one.
        try await TLSSite.with(HitSite.harness(), { $0.responseBytes = 24 << 10 }) { _, site in
            let client = try await site.http2(window: 0)
            var streams: [Int] = []
            for _ in 0..<100 { streams.append(try await client.ask("/healthz")) }
            let all = streams
            let state = await client.state { state in
                all.allSatisfy { state.streams[$0]?.status != nil }
            }
            let statuses = streams.map { state.streams[$0]?.status }
            #expect(statuses.count { $0 == 200 } == 5 && statuses.count { $0 == 503 } == 95)
            let other = try await site.http2()
            let health = try await other.ask("/healthz")
            #expect(await other.answer(health)?.status == 200)
            try await client.close()
        }
    }

    @Test func `a refusal that is not taken is counted, too`() async throws {
        try await TLSSite.with(HitSite.harness()) { _, site in
            let client = try await site.http2(window: 0)
            let long = [("x-long", String(repeating: "a", count: 40_000))]
            let stream = try await client.ask("/healthz", fields: long)
            await client.state { $0.streams[stream]?.status == 431 }
            #expect(site.server.responseLoad.held > 0)
            try await client.close()
            await eventually { site.server.responseLoad.held == 0 }
        }
    }
}
