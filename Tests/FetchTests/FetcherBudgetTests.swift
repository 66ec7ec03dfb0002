import Fetch
import Memory
import TestSupport
import Testing

/// Bodies that take more memory together than there is.
@Suite(.timeLimit(.minutes(1)))
struct FetcherBudgetTests {
    private static let size = 400_000

    /// Two bodies have room at once, besides small ones.
    private let budget = ByteBudget(bytes: 1_250_000)

    @Test(arguments: [true, false])
    func `large bodies wait for memory, and all of them arrive`(isDeclared: Bool) async throws {
        let origin = try await OriginServer.start()
        let reply = OriginReply.ok(pattern(Self.size))
        origin.on("/large", isDeclared ? reply : reply.chunked())
        origin.on("/small", .ok(pattern(1_000)))
        try await withFetcher { fetcher in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<40 {
                    let path = index.isMultiple(of: 4) ? "small" : "large"
                    var request = FetchRequest.original("\(origin.url)/\(path)", maxBytes: 900_000)
                    request.budget = budget
                    group.addTask { [request] in
                        let response = try await fetcher.fetch(request)
                        // The hold is of the body's size, and lives as long as the response.
                        #expect(response.hold?.bytes == response.body.count)
                        return response.body.count
                    }
                }
                var counts: [Int: Int] = [:]
                for try await count in group { counts[count, default: 0] += 1 }
                #expect(counts == [1_000: 10, Self.size: 30])
            }
        }
        let load = budget.load
        #expect(load.peak <= load.limit && load.peak >= Self.size)
        #expect(load.held == 0 && load.waiting == 0)
    }

    @Test func `a large body waits for another one's memory while small ones proceed`() async throws
    {
        let budget = ByteBudget(bytes: 12_000_000)
        let origin = try await OriginServer.start()
        origin.on("/large", .ok(pattern(Self.size)))
        origin.on("/small", .ok(pattern(1_000)))
        var request = FetchRequest.original("\(origin.url)/large", maxBytes: 9_500_000)
        request.budget = budget
        try await withFetcher { [request] fetcher in
            var hold: ByteBudget.Hold? = try await budget.reserve(9_500_000)
            #expect(hold?.bytes == 9_500_000)
            async let waits = fetcher.fetch(request)
            await eventually { budget.load.waiting > 0 }
            var small = request
            small.url = "\(origin.url)/small"
            #expect(try await fetcher.fetch(small).body.count == 1_000)
            hold = nil
            #expect(try await waits.body == pattern(Self.size))
        }
    }

    @Test func `requests that wait for their host keep no memory from others`() async throws {
        let (origin, gate) = (try await OriginServer.start(), Gate())
        origin.on("/slow", .ok(pattern(1_000)).delayed(until: gate))
        var request = FetchRequest.original("\(origin.url)/slow", maxBytes: 900_000)
        request.budget = budget
        let configuration = FetchConfiguration.loopback.with {
            $0.defaultHost = HostPolicy(maxConcurrent: 1)
        }
        try await withFetcher(configuration) { [request] fetcher in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { try await fetcher.fetch(request).body.count } }
                await eventually { await fetcher.hosts.first?.waiting == 9 }
                // Of the one that its host lets start.
                #expect(budget.load.held == 256 << 10 && budget.load.waiting == 0)
                gate.open()
                for try await count in group { #expect(count == 1_000) }
            }
        }
        #expect(budget.load.held == 0)
    }

    @Test func `a body over the whole budget is refused`() async throws {
        let seen = try await fetched(.ok([]).declaring(length: 2_000_000)) {
            $0.maxBytes = 4_000_000
            $0.budget = budget
        }
        #expect(seen.error?.cause == .tooLarge(limit: budget.largest))
        #expect(budget.load.held == 0)
    }

    @Test func `a fetch that is canceled while it waits for memory lets the next one proceed`()
        async throws
    {
        let origin = try await OriginServer.start()
        origin.on("/large", .ok(pattern(Self.size)))
        try await withFetcher { fetcher in
            let hold = try await budget.reserve(900_000)
            var request = FetchRequest.original("\(origin.url)/large", maxBytes: 900_000)
            request.budget = budget
            let waits = Task { [request] in try await fetcher.fetch(request).body.count }
            await eventually { budget.load.waiting > 0 }
            waits.cancel()
            await #expect(throws: FetchError(.canceled, host: "127.0.0.1")) {
                try await waits.value
            }
            #expect(budget.load.waiting == 0 && budget.load.held == hold.bytes)
        }
    }
}
