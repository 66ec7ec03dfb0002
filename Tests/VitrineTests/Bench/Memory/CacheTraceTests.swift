import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct CacheTraceTests {
    private static let generator = CacheTraceGenerator(
        seed: 7, pictures: 2_000, requests: 20_000)
    private static let capacity = 4 << 20

    private func ratio(_ trace: CacheTrace, _ name: PolicyName) -> Double {
        replay(trace, name.policy)
    }

    private func replay<Policy: TracedPolicy>(
        _ trace: CacheTrace, _ policy: Policy.Type
    ) -> Double {
        trace.replay(policy, capacity: Self.capacity).hits
    }

    @Test func `a trace follows from its seed`() {
        let other = CacheTraceGenerator(seed: 7, pictures: 2_000, requests: 20_000)
        #expect(other.zipf(0.9).events.map(\.key) == Self.generator.zipf(0.9).events.map(\.key))
        let next = CacheTraceGenerator(seed: 8, pictures: 2_000, requests: 20_000)
        #expect(next.zipf(0.9).events.map(\.key) != Self.generator.zipf(0.9).events.map(\.key))
    }

    @Test func `sizes are those of pictures`() {
        let costs = Self.generator.zipf(1).costs.sorted()
        #expect((13_000..<16_000).contains(costs[1_000]))
        #expect((20..<80).contains(costs.count { $0 > 100_000 }))
    }

    @Test func `the tier's policy is never behind LRU, and a scan costs it less`() {
        let plain = Self.generator.zipf(0.9)
        let scan = Self.generator.scan(0.9, .crawl, isBursts: false)
        let warm = Self.generator.scan(0.9, .insertion, isBursts: false)
        for trace in [plain, scan, warm, Self.generator.shift(0.9), Self.generator.new(0.9)] {
            #expect(ratio(trace, .s3fifo) >= ratio(trace, .lru), "\(trace.name)")
        }
        for trace in [scan, warm] {
            let lost = ratio(plain, .s3fifo) - ratio(trace, .s3fifo)
            #expect(lost < (ratio(plain, .lru) - ratio(trace, .lru)) / 2, "\(trace.name)")
        }
    }

    @Test func `LRU has nothing left of a loop that is larger than the cache`() {
        let loop = Self.generator.loop(size: Self.capacity * 11 / 10, name: "loop")
        #expect(ratio(loop, .lru) == 0)
        #expect(ratio(loop, .s3fifo) > 0.5)
        let fitting = Self.generator.loop(size: Self.capacity * 9 / 10, name: "loop")
        #expect(PolicyName.allCases.filter { ratio(fitting, $0) < 1 } == [])
    }

    @Test func `a recorded trace is read`() throws {
        let trace = try RecordedTrace.read("a 10\nb 20\n\na 10\nc 30 insert\n", name: "file")
        #expect(trace.costs == [10, 20, 30])
        #expect(trace.events.map(\.key) == [0, 1, 0, 2])
        #expect(trace.events.map(\.kind) == [.request, .request, .request, .insertion])
    }

    @Test(arguments: ["a", "a b", "a -1", "a 1 request", "a 1 insert 2"])
    func `a recorded trace with a bad line is refused`(line: String) {
        #expect(throws: RecordedTrace.Malformed(line: 2)) {
            try RecordedTrace.read("a 1\n\(line)\n", name: "file")
        }
    }
}
