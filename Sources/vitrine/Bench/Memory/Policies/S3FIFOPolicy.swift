import Memory

/// The policy of the service's memory tier.
struct S3FIFOPolicy: TracedPolicy {
    private var policy: S3FIFO
    private var numbers: [Int: Int] = [:]
    /// By number of the entry: its key, and its uses since the policy took them.
    private var entries: [(key: Int, uses: Int)] = []

    init(maxCost: Int, maxCount: Int) { policy = S3FIFO(maxCost: maxCost, maxCount: maxCount) }

    var cost: Int { policy.cost }
    var count: Int { policy.count }
    func contains(_ key: Int) -> Bool { numbers[key] != nil }

    mutating func request(_ key: Int) -> Bool {
        guard let number = numbers[key] else { return false }
        entries[number].uses = min(entries[number].uses + 1, S3FIFO.mostUses)
        return true
    }

    mutating func insert(_ key: Int, cost: Int) {
        let known = numbers.removeValue(forKey: key)
        let uses = known.map { entries[$0].uses } ?? 0
        let standing = known.map { policy.remove($0) }
        while !policy.hasRoom(cost: cost), let victim = evict() {
            numbers[entries[victim].key] = nil
        }
        let number = policy.insert(cost: cost, fingerprint: key, replacing: standing)
        if number == entries.count {
            entries.append((key, uses))
        } else {
            entries[number] = (key, uses)
        }
        numbers[key] = number
    }

    private mutating func evict() -> Int? {
        // Moved out and back, so that the closure may change them and nothing is copied.
        var entries: [(key: Int, uses: Int)] = []
        swap(&entries, &self.entries)
        defer { swap(&entries, &self.entries) }
        return policy.evict { number in
            defer { entries[number].uses = 0 }
            return entries[number].uses
        }
    }
}
