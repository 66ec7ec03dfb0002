import Memory

/// Evicts the least recently used value.
struct LRUPolicy: TracedPolicy {
    private let maxCost: Int
    private let maxCount: Int
    private var queue = LinkedQueues(count: 1)
    private var numbers: [Int: Int] = [:]

    init(maxCost: Int, maxCount: Int) {
        self.maxCost = maxCost
        self.maxCount = maxCount
    }

    var cost: Int { queue.cost }
    var count: Int { queue.count }
    func contains(_ key: Int) -> Bool { numbers[key] != nil }

    mutating func request(_ key: Int) -> Bool {
        guard let number = numbers[key] else { return false }
        queue.move(number, to: 0)
        return true
    }

    mutating func insert(_ key: Int, cost: Int) {
        if let known = numbers.removeValue(forKey: key) { queue.remove(known) }
        while queue.cost + cost > maxCost || queue.count >= maxCount,
            let oldest = queue.oldest(of: 0)
        {
            numbers[queue.remove(oldest).fingerprint] = nil
        }
        numbers[key] = queue.append(to: 0, cost: cost, fingerprint: key)
    }
}
