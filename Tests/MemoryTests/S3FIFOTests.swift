import TestSupport
import Testing

@testable import Memory

@Suite(.timeLimit(.minutes(1))) struct S3FIFOTests {
    @Test(arguments: 0..<20)
    func `the policy agrees with a naive model after random operations`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var owner = PolicyOwner(maxCost: 200, maxCount: 12)
        var model = NaivePolicy(maxCost: 200, maxCount: 12)
        for _ in 0..<1_000 {
            let key = Int.random(in: 0..<24, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let cost = Int.random(in: 0...50, using: &random)
                #expect(owner.insert(key, cost: cost) == model.insert(key, cost: cost))
            case 4..<8:
                owner.use(key)
                model.use(key)
            case 8:
                owner.remove(key)
                model.remove(key)
            default:
                let cost = Int.random(in: 0...50, using: &random)
                #expect(owner.setCost(cost, of: key) == model.setCost(cost, of: key))
            }
            #expect(owner.keys == model.keys)
            let policy = owner.policy
            #expect(policy.cost == model.cost && policy.cost <= 200)
            #expect(policy.count == model.keys.count && policy.count <= 12)
        }
    }

    @Test func `a value that was used twice survives a scan ten times the capacity`() {
        var owner = PolicyOwner(maxCost: 1_000, maxCount: 1_000)
        for key in 0..<80 { owner.insert(key, cost: 10) }
        for key in 0..<80 {
            owner.use(key)
            owner.use(key)
        }
        for key in 1_000..<2_000 { owner.insert(key, cost: 10) }
        #expect(owner.keys.filter { $0 < 80 } == Set(0..<80))
    }

    @Test func `a value that comes back soon after its eviction stays`() {
        var owner = PolicyOwner(maxCost: 100, maxCount: 100)
        for key in 0..<8 { owner.insert(key, cost: 10) }
        for key in 0..<8 {
            owner.use(key)
            owner.use(key)
        }
        for key in 10..<13 { owner.insert(key, cost: 10) }
        #expect(!owner.keys.contains(10))
        owner.insert(10, cost: 10)
        for key in 100..<140 { owner.insert(key, cost: 10) }
        #expect(owner.keys.contains(10))
    }

    @Test func `a value that comes back too late is new again`() {
        var owner = PolicyOwner(maxCost: 100, maxCount: 100)
        for key in 0..<100 { owner.insert(key, cost: 10) }
        owner.insert(0, cost: 10)
        for key in 100..<111 { owner.insert(key, cost: 10) }
        #expect(!owner.keys.contains(0))
    }

    @Test func `values in constant use don't stop an eviction`() {
        var policy = S3FIFO(maxCost: 10_000, maxCount: 10_000)
        for number in 0..<10_000 {
            #expect(policy.insert(cost: 1, fingerprint: number) == number)
        }
        var asked = 0
        let victim = policy.evict { _ in
            asked += 1
            return 3
        }
        #expect(victim == S3FIFO.mostMoves)
        #expect(asked == S3FIFO.mostMoves + 1)
        #expect(policy.count == 9_999)
    }
}

/// A policy with its keys and uses, as the memory tier keeps them.
private struct PolicyOwner {
    private(set) var policy: S3FIFO
    private var numbers: [Int: Int] = [:]
    private var uses: [Int: Int] = [:]

    init(maxCost: Int, maxCount: Int) { policy = S3FIFO(maxCost: maxCost, maxCount: maxCount) }

    var keys: Set<Int> { Set(numbers.keys) }

    mutating func use(_ key: Int) { uses[key, default: 0] += numbers[key] == nil ? 0 : 1 }

    mutating func remove(_ key: Int) {
        uses[key] = nil
        if let number = numbers.removeValue(forKey: key) { policy.remove(number) }
    }

    /// Returns the evicted keys in their order.
    @discardableResult mutating func insert(_ key: Int, cost: Int) -> [Int] {
        let kept = uses[key] ?? 0
        let standing = numbers.removeValue(forKey: key).map { policy.remove($0) }
        let evicted = makeRoom(cost: cost, count: 1)
        numbers[key] = policy.insert(cost: cost, fingerprint: key, replacing: standing)
        uses[key] = kept
        return evicted
    }

    mutating func setCost(_ cost: Int, of key: Int) -> [Int] {
        guard let number = numbers[key] else { return [] }
        policy.setCost(cost, of: number)
        return makeRoom(cost: 0, count: 0)
    }

    private mutating func makeRoom(cost: Int, count: Int) -> [Int] {
        var evicted: [Int] = []
        while !policy.hasRoom(cost: cost, count: count) {
            let keys = Dictionary(uniqueKeysWithValues: numbers.map { ($1, $0) })
            var uses = self.uses
            let victim = policy.evict { number in
                keys[number].flatMap { uses.removeValue(forKey: $0) } ?? 0
            }
            self.uses = uses
            guard let victim, let key = keys[victim] else { break }
            numbers[key] = nil
            evicted.append(key)
        }
        return evicted
    }
}

/// The same rules over plain arrays, the oldest first.
private struct NaivePolicy {
    struct Entry {
        var key: Int
        var cost: Int
        var uses = 0
        /// Uses that the policy was not told yet.
        var untold = 0
    }

    let maxCost: Int
    let maxCount: Int
    var trial: [Entry] = []
    var main: [Entry] = []
    var ghosts: [(key: Int, cost: Int)] = []

    init(maxCost: Int, maxCount: Int) {
        self.maxCost = maxCost
        self.maxCount = maxCount
    }

    var keys: Set<Int> { Set((trial + main).map(\.key)) }
    var cost: Int { (trial + main).map(\.cost).reduce(0, +) }

    mutating func use(_ key: Int) {
        for index in trial.indices where trial[index].key == key { trial[index].untold += 1 }
        for index in main.indices where main[index].key == key { main[index].untold += 1 }
    }

    mutating func remove(_ key: Int) {
        trial.removeAll { $0.key == key }
        main.removeAll { $0.key == key }
    }

    mutating func insert(_ key: Int, cost added: Int) -> [Int] {
        let known = (trial + main).first { $0.key == key }
        let wasMain = main.contains { $0.key == key }
        remove(key)
        let evicted = makeRoom(added, 1)
        let ghost = ghosts.contains { $0.key == key }
        ghosts.removeAll { $0.key == key }
        var entry = known ?? Entry(key: key, cost: added)
        entry.cost = added
        if wasMain || known == nil && ghost { main.append(entry) } else { trial.append(entry) }
        return evicted
    }

    mutating func setCost(_ cost: Int, of key: Int) -> [Int] {
        for index in trial.indices where trial[index].key == key { trial[index].cost = cost }
        for index in main.indices where main[index].key == key { main[index].cost = cost }
        return makeRoom(0, 0)
    }

    private mutating func makeRoom(_ added: Int, _ count: Int) -> [Int] {
        var evicted: [Int] = []
        while cost + added > maxCost || trial.count + main.count + count > maxCount {
            guard let key = evict() else { break }
            evicted.append(key)
        }
        return evicted
    }

    private mutating func evict() -> Int? {
        if trial.map(\.cost).reduce(0, +) > maxCost / 10 || main.isEmpty {
            while !trial.isEmpty {
                var entry = trial.removeFirst()
                if entry.uses + entry.untold < 2 {
                    ghosts.removeAll { $0.key == entry.key }
                    ghosts.append((entry.key, entry.cost))
                    while ghosts.count > maxCount
                        || ghosts.map(\.cost).reduce(0, +) > maxCost - maxCost / 10
                    {
                        ghosts.removeFirst()
                    }
                    return entry.key
                }
                (entry.uses, entry.untold) = (0, 0)
                main.append(entry)
            }
        }
        while !main.isEmpty {
            var entry = main.removeFirst()
            let uses = min(3, entry.uses + entry.untold)
            if uses == 0 { return entry.key }
            (entry.uses, entry.untold) = (uses - 1, 0)
            main.append(entry)
        }
        return nil
    }
}
