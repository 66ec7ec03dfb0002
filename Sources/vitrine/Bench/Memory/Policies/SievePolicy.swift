import Memory

/// SIEVE: one queue in order of insertion, and a hand that goes from the oldest to the newest value.
/// It evicts the first that was not used since the hand passed it. After Zhang et al., "SIEVE is
/// simpler than LRU", NSDI 2024, with costs in place of counts.
struct SievePolicy: TracedPolicy {
    private let maxCost: Int
    private let maxCount: Int
    private var queue = LinkedQueues(count: 1)
    private var numbers: [Int: Int] = [:]
    /// The next value to look at; nil for the oldest.
    private var hand: Int?

    init(maxCost: Int, maxCount: Int) {
        self.maxCost = maxCost
        self.maxCount = maxCount
    }

    var cost: Int { queue.cost }
    var count: Int { queue.count }
    func contains(_ key: Int) -> Bool { numbers[key] != nil }

    mutating func request(_ key: Int) -> Bool {
        guard let number = numbers[key] else { return false }
        queue[number].uses = 1
        return true
    }

    mutating func insert(_ key: Int, cost: Int) {
        if let known = numbers[key] { remove(known) }
        while queue.cost + cost > maxCost || queue.count >= maxCount,
            var next = hand ?? queue.oldest(of: 0)
        {
            while queue[next].uses > 0, let after = queue.newer(than: next) ?? queue.oldest(of: 0) {
                queue[next].uses = 0
                next = after
            }
            hand = next
            remove(next)
        }
        numbers[key] = queue.append(to: 0, cost: cost, fingerprint: key)
    }

    private mutating func remove(_ number: Int) {
        if hand == number { hand = queue.newer(than: number) }
        numbers[queue.remove(number).fingerprint] = nil
    }
}
