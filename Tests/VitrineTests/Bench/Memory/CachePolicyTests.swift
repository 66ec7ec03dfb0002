import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct CachePolicyTests {
    @Test(arguments: PolicyName.allCases, [1, 2, 3] as [UInt64])
    func `a policy keeps its bounds and holds what it says`(name: PolicyName, seed: UInt64) {
        check(name.policy, seed)
    }

    private func check<Policy: TracedPolicy>(_ type: Policy.Type, _ seed: UInt64) {
        var random = SplitMix(seed: seed)
        var policy = Policy(maxCost: 100_000, maxCount: 20)
        var costs: [Int: Int] = [:]
        for _ in 0..<1_000 {
            let key = Int.random(in: 0..<40, using: &random)
            let isThere = policy.contains(key)
            #expect(policy.request(key) == isThere)
            if !isThere || Bool.random(using: &random) {
                let cost = Int.random(in: 0...25_000, using: &random)
                policy.insert(key, cost: cost)
                costs[key] = cost
            }
            costs = costs.filter { policy.contains($0.key) }
            #expect(policy.cost == costs.values.reduce(0, +) && policy.cost <= 100_000)
            #expect(policy.count == costs.count && policy.count <= 20)
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `LRU and SIEVE agree with naive lists`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var lru = LRUPolicy(maxCost: 100, maxCount: 9)
        var sieve = SievePolicy(maxCost: 100, maxCount: 9)
        // The oldest first.
        var recent: [(key: Int, cost: Int)] = []
        var sifted: [(key: Int, cost: Int, isUsed: Bool)] = []
        var hand = 0
        for _ in 0..<1_000 {
            let key = Int.random(in: 0..<16, using: &random)
            let found = recent.firstIndex { $0.key == key }
            #expect(lru.request(key) == (found != nil))
            if let found { recent.append(recent.remove(at: found)) }
            let known = sifted.firstIndex { $0.key == key }
            #expect(sieve.request(key) == (known != nil))
            if let known { sifted[known].isUsed = true }

            let cost = Int.random(in: 0...25, using: &random)
            if found == nil {
                lru.insert(key, cost: cost)
                while recent.count >= 9 || recent.map(\.cost).reduce(cost, +) > 100 {
                    recent.removeFirst()
                }
                recent.append((key, cost))
            }
            guard known == nil else { continue }
            sieve.insert(key, cost: cost)
            while sifted.count >= 9 || sifted.map(\.cost).reduce(cost, +) > 100 {
                if hand == sifted.count { hand = 0 }
                if sifted[hand].isUsed {
                    sifted[hand].isUsed = false
                    hand += 1
                } else {
                    sifted.remove(at: hand)
                }
            }
            // The hand stays where it is: a new value is not looked at before the oldest.
            if hand == sifted.count { hand = 0 }
            sifted.append((key, cost, false))
        }
    }

    @Test func `W-TinyLFU admits only what is requested more often`() {
        var policy = TinyLFUPolicy(maxCost: 1_000_000, maxCount: 1_000)
        for key in 0..<100 {
            for _ in 0..<3 { _ = policy.request(key) }
            policy.insert(key, cost: 9_900)
        }
        for key in 1_000..<2_000 { policy.insert(key, cost: 9_900) }
        #expect((0..<99).allSatisfy { policy.contains($0) })
        for _ in 0..<5 { _ = policy.request(5_000) }
        policy.insert(5_000, cost: 9_900)
        policy.insert(5_001, cost: 9_900)
        #expect(policy.contains(5_000))
    }

    @Test func `a sketch never counts too little, and forgets by halves`() {
        var sketch = FrequencySketch(counters: 1_024)
        for key in 0..<100 {
            for _ in 0..<(key % 8) { sketch.add(key, entries: 1_000) }
        }
        #expect((0..<100).allSatisfy { sketch.count($0) >= $0 % 8 })
        #expect((0..<100).count { sketch.count($0) == $0 % 8 } > 90)
        for _ in 0..<20 { sketch.add(7, entries: 1_000) }
        #expect(sketch.count(7) == 15)
        // At ten times as many as there are entries, of which it assumes 64.
        for key in 2_000..<2_700 { sketch.add(key, entries: 1) }
        #expect(sketch.count(7) == 7)
    }
}
