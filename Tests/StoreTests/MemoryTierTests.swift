import Store
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct MemoryTierTests {
    @Test func `the least recently used value is evicted first`() {
        let tier = MemoryTier<String, Int>(maxCost: 40, maxCount: 100)
        for (number, key) in ["a", "b", "c", "d"].enumerated() {
            tier.insert(number, for: key, cost: 10)
        }
        #expect(tier.value("a") == 0)
        tier.insert(4, for: "e", cost: 10)
        #expect(tier.value("b") == nil)
        #expect(["a", "c", "d", "e"].map { tier.value($0) } == [0, 2, 3, 4])
        #expect(tier.evictions == 1)
        // Neither is for want of room.
        tier.insert(5, for: "e", cost: 10)
        tier.remove("e")
        #expect(tier.evictions == 1)
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

    @Test func `a value used without a look-up is not evicted next`() {
        let used = Mutex(Set([0]))
        let gone = Mutex<[Int]>([])
        let tier = MemoryTier<Int, Int>(
            maxCost: 30, maxCount: 100,
            takeUse: { value in used.withLock { $0.remove(value) != nil } },
            onRemoval: { value in gone.withLock { $0.append(value) } })
        // Of more than a quarter of the budget each, nothing would be kept.
        for key in 0..<10 { tier.insert(key, for: key, cost: 3) }
        tier.insert(10, for: 10, cost: 3)
        #expect(gone.withLock { $0 } == [1])
        tier.insert(-4, for: 4, cost: 3)
        tier.remove(5)
        tier.removeAll { $0 == 6 }
        #expect(gone.withLock { $0 } == [1, 4, 5, 6])
    }

    @Test func `values in constant use don't stop eviction`() {
        let tier = MemoryTier<Int, Int>(maxCost: 40, maxCount: 100, takeUse: { _ in true })
        for key in 0..<20 { tier.insert(key, for: key, cost: 10) }
        #expect(tier.count == 4)
    }

    @Test func `a value over a quarter of the budget is not kept`() {
        let tier = MemoryTier<Int, Int>(maxCost: 40, maxCount: 100)
        tier.insert(1, for: 1, cost: 10)
        tier.insert(2, for: 2, cost: 11)
        tier.insert(3, for: 1, cost: 11)
        #expect(tier.count == 0)
        #expect(tier.cost == 0)
    }

    @Test func `without a budget no value is kept`() {
        for (cost, count) in [(0, 10), (10, 0), (-1, -1)] {
            let tier = MemoryTier<Int, Int>(maxCost: cost, maxCount: count)
            tier.insert(1, for: 1, cost: 1)
            #expect(tier.count == 0)
        }
    }

    @Test(arguments: 0..<20)
    func `the memory tier agrees with a naive list after random operations`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let tier = MemoryTier<Int, Int>(maxCost: 100, maxCount: 9)
        // The most recently used last.
        var model: [(key: Int, value: Int, cost: Int)] = []
        for step in 0..<2000 {
            let key = Int.random(in: 0..<16, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let cost = Int.random(in: 0...30, using: &random)
                tier.insert(step, for: key, cost: cost)
                model.removeAll { $0.key == key }
                if cost <= 25 {
                    model.append((key, step, cost))
                    while model.count > 9 || model.map(\.cost).reduce(0, +) > 100 {
                        model.removeFirst()
                    }
                }
            case 4..<8:
                let found = model.firstIndex { $0.key == key }
                #expect(tier.value(key) == found.map { model[$0].value })
                if let found { model.append(model.remove(at: found)) }
            case 8:
                tier.remove(key)
                model.removeAll { $0.key == key }
            default:
                let residue = Int.random(in: 0..<8, using: &random)
                tier.removeAll { $0 % 8 == residue }
                model.removeAll { $0.key % 8 == residue }
            }
            #expect(tier.count == model.count)
            #expect(tier.cost == model.map(\.cost).reduce(0, +))
        }
    }

    @Test func `the memory tier is safe with many threads`() async {
        let tier = MemoryTier<Int, Int>(maxCost: 1000, maxCount: 50)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    var random = SeededGenerator(seed: UInt64(task))
                    for _ in 0..<2000 {
                        let key = Int.random(in: 0..<100, using: &random)
                        tier.insert(key, for: key, cost: key)
                        if let value = tier.value(key) { #expect(value == key) }
                    }
                }
            }
        }
        #expect(tier.count <= 50)
        #expect(tier.cost <= 1000)
    }
}
