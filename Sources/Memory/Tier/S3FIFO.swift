/// Decides which entry of a cache is evicted: S3-FIFO, three queues in order of insertion. Pure.
///
/// - *trial*: new entries. An entry that was used more than once moves on, the others are evicted.
///   While the trial queue holds more than a tenth of the budget, evictions take from it.
/// - *main*: entries that proved themselves. Each use since gives one more round.
/// - *evicted*: fingerprints of entries that left the trial queue. One that comes back goes straight
///   to the main queue.
///
/// A scan therefore replaces only the trial queue. A use moves nothing: the owner counts uses and is
/// asked for them when an entry is next in line. Entries are numbers that the policy assigns.
///
/// After Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023, with costs in
/// place of counts.
package struct S3FIFO: Sendable {
    /// What an entry had reached when it was removed.
    package struct Standing: Sendable, Equatable {
        fileprivate var isProven: Bool
        fileprivate var uses: Int
    }

    /// More uses than this don't count.
    package static let mostUses = 3
    /// Uses that prove a new entry.
    private static let provingUses = 2
    /// The most entries that one eviction moves on. The next one is evicted even if it was used, so
    /// that values in constant use don't hold up the caller.
    static let mostMoves = 1_000

    private let maxCost: Int
    private let maxCount: Int
    private var queues = LinkedQueues(count: 2)
    private var evicted: EvictedFingerprints

    private static let trial = 0
    private static let main = 1

    /// - Parameters:
    ///   - maxCost: bounds the sum of the costs.
    ///   - maxCount: bounds the entries.
    package init(maxCost: Int, maxCount: Int) {
        self.maxCost = max(0, maxCost)
        self.maxCount = max(0, maxCount)
        evicted = EvictedFingerprints(
            maxCost: self.maxCost - self.maxCost / 10, maxCount: self.maxCount)
    }

    package var cost: Int { queues.cost }
    package var count: Int { queues.count }

    /// Whether an entry of this cost can be added without an eviction.
    package func hasRoom(cost added: Int, count addedCount: Int = 1) -> Bool {
        cost + added <= maxCost && count + addedCount <= maxCount
    }

    /// Adds an entry for which there is room, and returns its number. Numbers of removed entries are
    /// used again.
    ///
    /// - Parameters:
    ///   - fingerprint: tells a key that comes back; two keys may share one.
    ///   - standing: of the entry that this one replaces.
    package mutating func insert(
        cost: Int, fingerprint: Int, replacing standing: Standing? = nil
    ) -> Int {
        let wasEvicted = evicted.remove(fingerprint)
        let isProven = standing?.isProven ?? wasEvicted
        let number = queues.append(
            to: isProven ? Self.main : Self.trial, cost: cost, fingerprint: fingerprint)
        queues[number].uses = standing?.uses ?? 0
        assert(queues.cost <= maxCost, "an entry is added beyond the budget")
        assert(queues.count <= maxCount, "an entry is added beyond the number")
        return number
    }

    /// Returns whether an entry should be inserted that was used without being here: there is room, or
    /// it keeps coming back soon after it was evicted or used. Otherwise remembers the use, and the
    /// fingerprint as if it had just passed through the trial queue.
    package mutating func admits(fingerprint: Int, cost: Int) -> Bool {
        if hasRoom(cost: cost) { return true }
        let returns = evicted.returns(fingerprint).map { $0 + 1 } ?? 0
        if returns >= Self.provingUses { return true }
        evicted.add(fingerprint, cost: cost, returns: returns)
        return false
    }

    /// Removes an entry without remembering it.
    @discardableResult package mutating func remove(_ number: Int) -> Standing {
        let entry = queues.remove(number)
        assert(entry.uses >= 0 && entry.uses <= Self.mostUses, "an entry has \(entry.uses) uses")
        return Standing(isProven: entry.queue == Self.main, uses: entry.uses)
    }

    package func cost(of number: Int) -> Int { queues[number].cost }

    package mutating func setCost(_ cost: Int, of number: Int) {
        assert(cost >= 0, "an entry costs less than nothing")
        queues.setCost(cost, of: number)
    }

    /// Removes an entry to make room, and returns its number; nil if the tier is empty.
    ///
    /// - Parameter takeUses: returns the uses of an entry since its last call.
    package mutating func evict(takeUses: (_ number: Int) -> Int) -> Int? {
        var moves = 0
        if queues.cost(of: Self.trial) > maxCost / 10 || queues.oldest(of: Self.main) == nil {
            while let number = queues.oldest(of: Self.trial) {
                let uses = queues[number].uses + takeUses(number)
                if uses < Self.provingUses || moves == Self.mostMoves {
                    let entry = queues.remove(number)
                    evicted.add(entry.fingerprint, cost: entry.cost)
                    return number
                }
                queues[number].uses = 0
                queues.move(number, to: Self.main)
                moves += 1
            }
        }
        while let number = queues.oldest(of: Self.main) {
            assert(queues[number].queue == Self.main, "the main queue has an entry of another one")
            let uses = min(queues[number].uses + takeUses(number), Self.mostUses)
            if uses == 0 || moves == Self.mostMoves {
                queues.remove(number)
                return number
            }
            queues[number].uses = uses - 1
            queues.move(number, to: Self.main)
            moves += 1
        }
        assert(queues.count == 0, "nothing is evicted, and something is there")
        return nil
    }
}

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
        assert(queue.count == numbers.count, "a fingerprint is remembered twice")
        assert(queue.cost <= maxCost && queue.count <= maxCount, "too much is remembered")
    }

    /// Forgets a fingerprint. Returns whether it was remembered.
    @discardableResult mutating func remove(_ fingerprint: Int) -> Bool {
        guard let number = numbers.removeValue(forKey: fingerprint) else { return false }
        assert(queue[number].fingerprint == fingerprint, "another fingerprint is forgotten")
        queue.remove(number)
        return true
    }
}
