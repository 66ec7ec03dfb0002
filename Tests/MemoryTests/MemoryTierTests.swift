import Synchronization
import TestSupport
import Testing

@testable import Memory

@Suite(.timeLimit(.minutes(1)))
struct MemoryTierTests {
    @Test func `the oldest value that was not used is evicted first`() {
        let tier = MemoryTier<String, Int>(maxCost: 40, maxCount: 100)
        for (number, key) in ["a", "b", "c", "d"].enumerated() {
            tier.insert(number, for: key, cost: 10)
        }
        // Two uses prove a value.
        #expect(tier.value("a") == 0 && tier.value("a") == 0)
        tier.insert(4, for: "e", cost: 10)
        #expect(tier.value("b") == nil)
        #expect(["a", "c", "d", "e"].map { tier.value($0) } == [0, 2, 3, 4])
        #expect(tier.evictions == 1)
        // Neither is for want of room.
        tier.insert(5, for: "e", cost: 10)
        tier.remove("e")
        #expect(tier.evictions == 1)
    }

    @Test func `a value read beside the tier is admitted if there is room or it comes back`() {
        let tier = MemoryTier<Int, Int>(maxCost: 400, maxCount: 100)
        func admits(_ key: Int) -> Bool { tier.admits(key.hashValue, cost: 10) }
        #expect(admits(1))
        for key in 0..<40 { tier.insert(key, for: key, cost: 10) }
        #expect(!admits(100))
        #expect(!admits(100))
        #expect(admits(100))
        // Others came between, for more than is remembered.
        for key in 200..<300 { #expect(!admits(key)) }
        #expect(!admits(100))
        // More than a quarter of the budget.
        #expect(!tier.admits(1.hashValue, cost: 101))
        #expect(tier.count == 40 && tier.evictions == 0)
    }

    @Test func `an insertion says whether the value is kept`() {
        let tier = MemoryTier<Int, Int>(maxCost: 400, maxCount: 100)
        #expect(tier.insert(1, for: 1, cost: 100))
        #expect(!tier.insert(1, for: 1, cost: 101))
        #expect(!tier.insert(1, for: 1, cost: 10) { _ in false })
        #expect(tier.count == 0)
    }

    @Test func `additional costs of a value count too`() {
        let tier = MemoryTier<String, Int>(maxCost: 40, maxCount: 100)
        for (number, key) in ["a", "b", "c"].enumerated() {
            tier.insert(number, for: key, cost: 10)
        }
        tier.addCost(10, for: "b") { $0 == 1 }
        tier.addCost(10, for: "c") { $0 == 1 }
        tier.addCost(10, for: "x") { _ in true }
        #expect(tier.cost == 40)
        tier.addCost(5, for: "c") { $0 == 2 }
        #expect(tier.cost == 35 && tier.value("a") == nil)
        tier.addCost(-10, for: "b") { $0 == 1 }
        tier.remove("b")
        #expect(tier.cost == 15)
    }

    @Test func `a use without a look-up counts like a look-up`() {
        let used = Mutex(Set([0, 1]))
        let gone = Mutex<[Int]>([])
        let tier = MemoryTier<Int, Int>(
            maxCost: 30, maxCount: 100,
            takeUse: { value in used.withLock { $0.remove(value) != nil } },
            onRemoval: { value in gone.withLock { $0.append(value) } })
        // Of more than a quarter of the budget each, nothing would be kept.
        for key in 0..<10 { tier.insert(key, for: key, cost: 3) }
        #expect(tier.value(0) == 0)
        tier.insert(10, for: 10, cost: 3)
        // The look-up and the other use proved 0; 1 had only one use.
        #expect(gone.withLock { $0 } == [1])
        tier.insert(-4, for: 4, cost: 3)
        tier.remove(5)
        tier.removeAll { $0 == 6 }
        #expect(gone.withLock { $0 } == [1, 4, 5, 6])
        #expect(Set(tier.keys) == [0, 2, 3, 4, 7, 8, 9, 10])
    }

    @Test func `a value that replaces a used one inherits its uses`() {
        let tier = MemoryTier<Int, Int>(maxCost: 40, maxCount: 100)
        for key in 0..<4 { tier.insert(key, for: key, cost: 10) }
        #expect(tier.value(3) == 3 && tier.value(3) == 3)
        tier.insert(-3, for: 3, cost: 10)
        for key in 4..<20 { tier.insert(key, for: key, cost: 10) }
        #expect(tier.value(3) == -3)
    }

    @Test(arguments: [1, 16])
    func `a value over a quarter of the whole budget is not kept`(shards: Int) {
        let tier = MemoryTier<Int, Int>(maxCost: 40, maxCount: 100, shards: shards)
        tier.insert(1, for: 1, cost: 10)
        tier.insert(2, for: 2, cost: 11)
        #expect(tier.count == 1)
        tier.insert(3, for: 1, cost: 11)
        #expect(tier.count == 0)
        #expect(tier.cost == 0)
        for key in 0..<4 { tier.insert(key, for: key, cost: 10) }
        #expect(tier.cost == 40)
    }

    @Test func `without a budget no value is kept`() {
        for (cost, count) in [(0, 10), (10, 0), (-1, -1)] {
            let tier = MemoryTier<Int, Int>(maxCost: cost, maxCount: count)
            tier.insert(1, for: 1, cost: 1)
            #expect(tier.count == 0)
        }
    }

    @Test func `a value that is not wanted is not inserted`() {
        let tier = MemoryTier<Int, String>(maxCost: 40, maxCount: 100)
        tier.insert("a", for: 1, cost: 1) { $0 == nil }
        tier.insert("b", for: 1, cost: 2) { $0 == nil }
        #expect(tier.value(1) == "a" && tier.cost == 1)
        tier.insert("c", for: 1, cost: 2) { $0 == "a" }
        #expect(tier.value(1) == "c" && tier.cost == 2)
    }

    @Test(arguments: 0..<8, [1, 8])
    func `a tier holds what was inserted last, within its bounds`(seed: UInt64, shards: Int) {
        var random = SeededGenerator(seed: seed)
        let gone = Mutex<[Int]>([])
        let tier = MemoryTier<Int, Int>(
            maxCost: 100, maxCount: 9, shards: shards,
            onRemoval: { value in gone.withLock { $0.append(value) } })
        // What was inserted, removed when the tier says that it is gone.
        var model: [Int: (key: Int, cost: Int)] = [:]
        for step in 0..<1_000 {
            let key = Int.random(in: 0..<16, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let cost = Int.random(in: 0...30, using: &random)
                tier.insert(step, for: key, cost: cost)
                if cost <= 25 { model[step] = (key, cost) }
                #expect((tier.value(key) == step) == (cost <= 25))
            case 4..<8:
                #expect(tier.value(key) == model.first { $0.value.key == key }?.key)
            case 8:
                tier.remove(key)
                #expect(tier.value(key) == nil)
            default:
                let residue = Int.random(in: 0..<8, using: &random)
                tier.removeAll { $0 % 8 == residue }
                #expect(tier.keys.allSatisfy { $0 % 8 != residue })
            }
            for value in gone.withLock({ gone in
                defer { gone = [] }
                return gone
            }) {
                // Each value goes once.
                #expect(model.removeValue(forKey: value) != nil)
            }
            #expect(tier.count == model.count && tier.count <= 9)
            #expect(tier.cost == model.values.map(\.cost).reduce(0, +) && tier.cost <= 100)
            #expect(Set(tier.keys) == Set(model.values.map(\.key)))
        }
    }

    @Test(arguments: [1, 16])
    func `threads that change and look up at once keep the bounds`(shards: Int) async {
        let counts = Counts()
        let tier = MemoryTier<Int, Int>(
            maxCost: 1_000, maxCount: 50, shards: shards, takeUse: { $0 % 3 == 0 },
            onRemoval: { _ in counts.gone.add(1, ordering: .relaxed) })
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<2_000 {
                        let key = Int.random(in: 0..<100, using: &random)
                        switch Int.random(in: 0..<8, using: &random) {
                        case 0:
                            tier.remove(key)
                        case 1:
                            tier.addCost(1, for: key) { $0 == key }
                        case 2, 3:
                            tier.insert(key, for: key, cost: key)
                            counts.inserted.add(1, ordering: .relaxed)
                        default:
                            if let value = tier.value(key), value != key { counts.fail() }
                        }
                        if tier.cost > 1_000 || tier.count > 50 { counts.fail() }
                    }
                }
            }
        }
        #expect(counts.failures.load(ordering: .relaxed) == 0)
        #expect(counts.left == tier.count)
        #expect(tier.keys.count == tier.count)
        tier.removeAll { _ in true }
        #expect(tier.count == 0 && tier.cost == 0)
        #expect(counts.left == 0)
    }

    @Test(arguments: [
        (63, 64, 1), (64, 64, 1), (128, 64, 2), (1_000_000, 1, 4), (1_000_000, 2, 8),
        (1_000_000, 3, 8), (1_000_000, 64, 256), (0, 2, 1),
    ])
    func `the shards are a power of two, and few for few entries`(
        entries: Int, processors: Int, shards: Int
    ) {
        #expect(TierShards.count(entries: entries, processors: processors) == shards)
    }
}

/// Values that went into a tier and out of it.
private final class Counts: Sendable {
    let inserted = Atomic(0)
    let gone = Atomic(0)
    let failures = Atomic(0)

    func fail() { failures.add(1, ordering: .relaxed) }

    var left: Int { inserted.load(ordering: .relaxed) - gone.load(ordering: .relaxed) }
}
