import Memory

/// W-TinyLFU: new values go through a window of 1 % of the budget. A value that leaves it enters the
/// main part if it was requested more often than the value that it would replace. The main part is a
/// segmented LRU: 20 % on probation, 80 % protected. After Einziger et al., "TinyLFU: a highly
/// efficient cache admission policy", 2017, with costs in place of counts.
struct TinyLFUPolicy: TracedPolicy {
    private static let window = 0
    private static let probation = 1
    private static let protected = 2
    /// Budget for each counter of the sketch: four for a thumbnail of 16 kB.
    private static let costOfCounter = 4_096

    private let maxCost: Int
    private let maxCount: Int
    private var queues = LinkedQueues(count: 3)
    private var numbers: [Int: Int] = [:]
    private var sketch: FrequencySketch

    init(maxCost: Int, maxCount: Int) {
        self.maxCost = maxCost
        self.maxCount = maxCount
        sketch = FrequencySketch(counters: min(maxCount, maxCost / Self.costOfCounter))
    }

    var cost: Int { queues.cost }
    var count: Int { queues.count }
    func contains(_ key: Int) -> Bool { numbers[key] != nil }

    private var maxWindow: Int { maxCost / 100 }
    private var maxMain: Int { maxCost - maxWindow }
    private var mainCost: Int { queues.cost(of: Self.probation) + queues.cost(of: Self.protected) }

    mutating func request(_ key: Int) -> Bool {
        sketch.add(key, entries: count)
        guard let number = numbers[key] else { return false }
        if queues[number].queue == Self.window {
            queues.move(number, to: Self.window)
            return true
        }
        queues.move(number, to: Self.protected)
        while queues.cost(of: Self.protected) > maxMain / 5 * 4,
            let oldest = queues.oldest(of: Self.protected)
        {
            queues.move(oldest, to: Self.probation)
        }
        return true
    }

    mutating func insert(_ key: Int, cost: Int) {
        if let known = numbers[key] { remove(known) }
        while count >= maxCount, let victim { remove(victim) }
        numbers[key] = queues.append(to: Self.window, cost: cost, fingerprint: key)
        while queues.cost(of: Self.window) > maxWindow,
            let candidate = queues.oldest(of: Self.window)
        {
            admit(candidate)
        }
    }

    /// Moves a value from the window to the main part, or removes it.
    private mutating func admit(_ candidate: Int) {
        let frequency = sketch.count(queues[candidate].fingerprint)
        while mainCost + queues[candidate].cost > maxMain {
            guard let victim = mainVictim,
                sketch.count(queues[victim].fingerprint) < frequency
            else { return remove(candidate) }
            remove(victim)
        }
        queues.move(candidate, to: Self.probation)
    }

    private var mainVictim: Int? {
        queues.oldest(of: Self.probation) ?? queues.oldest(of: Self.protected)
    }
    private var victim: Int? { mainVictim ?? queues.oldest(of: Self.window) }

    private mutating func remove(_ number: Int) {
        numbers[queues.remove(number).fingerprint] = nil
    }
}
