import App
import FoundationEssentials
import Memory

/// `vitrine bench memory`: hit ratios of cache policies, and what a look-up in memory costs.
struct MemoryBench: Sendable {
    /// Larger files of ``RecordedTrace`` are refused.
    private static let maxTraceFile = 1 << 30

    let context: BenchContext
    let options: MemoryBenchOptions

    init(_ context: BenchContext, _ options: MemoryBenchOptions) {
        self.context = context
        self.options = options
    }

    func plan() async throws -> BenchPlan {
        let capacity = options.capacity.bytes
        let traces = try await FileThreads.run { () throws -> [CacheTrace] in try allTraces() }
        var cases: [any BenchCase] = []
        for trace in traces {
            context.say("Replaying \(trace.name).")
            for name in PolicyName.allCases {
                try Task.checkCancellation()
                let ratios = await FileThreads.run {
                    trace.replay(name.policy, capacity: capacity)
                }
                cases.append(HitRatioCase(trace: trace.name, policy: name, ratios: ratios))
            }
        }
        let processors = MachineProcessors.count()
        for threads in Set([1, processors]).sorted() {
            for tier in LookupCase.Tier.allCases {
                cases.append(
                    LookupCase(
                        tier: tier, threads: threads,
                        lookups: context.isQuick ? 100_000 : 1_000_000, seed: context.seed))
            }
        }
        return BenchPlan(
            cases: cases,
            settings: [BenchSetting("capacity", options.capacity.description)],
            notes: ["Hit ratios follow from the seed; they are replayed once."])
    }

    /// Blocks.
    private func allTraces() throws -> [CacheTrace] {
        let capacity = options.capacity.bytes
        let generator = CacheTraceGenerator(
            seed: context.seed, pictures: context.isQuick ? 20_000 : 50_000,
            requests: context.isQuick ? 200_000 : 1_000_000)
        func loop(_ share: Double) -> CacheTrace {
            generator.loop(size: Int(Double(capacity) * share), name: "loop-\(share)")
        }
        let known: [(name: String, traces: () -> [CacheTrace])] = [
            ("zipf", { [0.7, 0.9, 1.1].map { generator.zipf($0) } }),
            (
                "scan",
                {
                    [CacheTrace.Kind.crawl, .insertion].flatMap { kind in
                        [false, true].map { generator.scan(0.9, kind, isBursts: $0) }
                    }
                }
            ),
            ("loop", { [1.1, 1.5, 2].map(loop) }),
            ("shift", { [generator.shift(0.9)] }),
            ("new", { [generator.new(0.9)] }),
        ]
        guard let wanted = options.trace else { return known.flatMap { $0.traces() } }
        if let one = known.first(where: { $0.name == wanted }) { return one.traces() }
        let bytes = try LocalFile.read(wanted, limit: Self.maxTraceFile)
        return [try RecordedTrace.read(String(decoding: bytes, as: UTF8.self), name: "file")]
    }
}

/// The ratios of one policy on one trace, which are the same in every round.
struct HitRatioCase: BenchCase {
    let trace: String
    let policy: PolicyName
    let ratios: CacheTrace.Ratios

    var warmUps: Int { 0 }
    var head: BenchRow.Head {
        BenchRow.Head(.memory, ["trace=\(trace)", "policy=\(policy.rawValue)"])
    }

    func round(_ number: Int) async throws -> BenchSample {
        BenchSample([
            (BenchQuantity(name: "hit ratio", unit: "%", better: .more), ratios.hits * 100),
            (BenchQuantity(name: "byte hit ratio", unit: "%", better: .more), ratios.bytes * 100),
        ])
    }
}
