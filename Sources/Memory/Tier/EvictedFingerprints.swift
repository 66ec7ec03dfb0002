/// Remembers the latest evicted entries by their fingerprints, without their values. Pure.
struct EvictedFingerprints: Sendable {
    private let maxCost: Int
    private let maxCount: Int
    private var queue = LinkedQueues(count: 1)
    private var numbers: [Int: Int] = [:]

    /// - Parameter maxCost: bounds the sum of the costs that the remembered entries had.
    init(maxCost: Int, maxCount: Int) {
        self.maxCost = maxCost
        self.maxCount = maxCount
    }

    /// Returns how often an entry came back while it was remembered; nil if it isn't remembered.
    func returns(_ fingerprint: Int) -> Int? { numbers[fingerprint].map { queue[$0].uses } }

    /// Remembers one more, and forgets the oldest.
    ///
    /// - Parameter returns: how often it came back.
    mutating func add(_ fingerprint: Int, cost: Int, returns: Int = 0) {
        remove(fingerprint)
        let number = queue.append(to: 0, cost: cost, fingerprint: fingerprint)
        queue[number].uses = returns
        numbers[fingerprint] = number
        while queue.cost > maxCost || queue.count > maxCount, let oldest = queue.oldest(of: 0) {
            remove(queue[oldest].fingerprint)
        }
    }

    /// Forgets a fingerprint. Returns whether it was remembered.
    @discardableResult mutating func remove(_ fingerprint: Int) -> Bool {
        guard let number = numbers.removeValue(forKey: fingerprint) else { return false }
        queue.remove(number)
        return true
    }
}
