import Catalog
import Memory
import Synchronization

/// Look-ups of values that are in memory, by several threads at once.
struct LookupCase: BenchCase {
    /// What the look-ups go to.
    enum Tier: String, Sendable, CaseIterable {
        /// The service's tier.
        case sharded
        /// The same with one shard.
        case shard = "one-shard"
        /// Strict LRU behind one lock: every hit moves its entry.
        case lru = "lru-one-lock"
    }

    private static let entries = 4_000
    private static let maxCost = 1 << 30

    let tier: Tier
    let threads: Int
    /// Of each thread in a round.
    let lookups: Int
    let seed: UInt64
    private let keys: [Item]
    private let find: @Sendable (Item) -> Value?

    /// Stands for a picture.
    private final class Value: Sendable {
        let number: Int
        init(_ number: Int) { self.number = number }
    }

    init(tier: Tier, threads: Int, lookups: Int, seed: UInt64) {
        self.tier = tier
        self.threads = threads
        self.lookups = lookups
        self.seed = seed
        let keys = (0..<Self.entries).map { Item(source: "tvmaze", kind: "show", id: "\($0)") }
        self.keys = keys
        switch tier {
        case .sharded, .shard:
            let tier = MemoryTier<Item, Value>(
                maxCost: Self.maxCost, maxCount: Self.maxCost, shards: tier == .shard ? 1 : nil)
            for (number, key) in keys.enumerated() {
                tier.insert(Value(number), for: key, cost: 1)
            }
            find = { tier.value($0) }
        case .lru:
            let tier = LockedLRU<Item, Value>()
            for (number, key) in keys.enumerated() { tier.insert(Value(number), for: key) }
            find = { tier.value($0) }
        }
    }

    var head: BenchRow.Head {
        BenchRow.Head(
            .memory, ["look-ups", "tier=\(tier.rawValue)", "threads=\(threads)"], state: .warm)
    }

    func round(_ number: Int) async throws -> BenchSample {
        let (before, started) = (ProcessUsage.own(), ContinuousClock.now)
        let missed = await withTaskGroup(of: Int.self) { group in
            for thread in 0..<threads {
                group.addTask { look(seed: seed &+ UInt64(thread)) }
            }
            return await group.reduce(0, +)
        }
        let wall = started.duration(to: .now) / .seconds(1)
        let processor = ProcessUsage.own().processor - before.processor
        let count = Double(threads * lookups)
        return BenchSample(
            [
                (.rate("look-ups/s"), count / wall),
                (.processorTime("ns/look-up"), processor * 1e9 / count),
            ], errors: missed, firstError: missed > 0 ? "A value is missing." : nil)
    }

    /// Returns how many values were missing.
    private func look(seed: UInt64) -> Int {
        var random = SplitMix(seed: seed)
        var missed = 0
        for _ in 0..<lookups {
            let wanted = Int(truncatingIfNeeded: random.next() >> 33) % keys.count
            if find(keys[wanted])?.number != wanted { missed += 1 }
        }
        return missed
    }
}

/// A strict LRU behind one lock, without a bound.
private final class LockedLRU<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var numbers: [Key: Int] = [:]
        var values: [Value] = []
        var order = LinkedQueues(count: 1)
    }

    private let state = Mutex(State())

    func insert(_ value: Value, for key: Key) {
        state.withLock { state in
            state.numbers[key] = state.order.append(to: 0, cost: 1, fingerprint: 0)
            state.values.append(value)
        }
    }

    func value(_ key: Key) -> Value? {
        state.withLock { state in
            guard let number = state.numbers[key] else { return nil }
            state.order.move(number, to: 0)
            return state.values[number]
        }
    }
}
