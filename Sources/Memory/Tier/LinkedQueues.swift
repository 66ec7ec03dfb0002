/// A few queues over one array of entries: O(1) to append, to remove anywhere and to move from one
/// queue to another. It links by index instead of by reference, so nothing counts references. Pure.
package struct LinkedQueues: Sendable {
    package struct Entry: Sendable {
        package let fingerprint: Int
        package fileprivate(set) var cost: Int
        /// Free for the owner.
        package var uses = 0
        package fileprivate(set) var queue: Int
        fileprivate var newer = none
        /// Also links the free entries.
        fileprivate var older = none
    }

    private struct Queue {
        var newest = none
        var oldest = none
        var cost = 0
        var count = 0
    }

    private static let none = -1

    private var entries: [Entry] = []
    private var queues: [Queue]
    private var firstFree = none
    /// Of all queues.
    package private(set) var cost = 0
    package private(set) var count = 0

    /// - Parameter count: of the queues, which are numbered from 0.
    package init(count: Int) { queues = Array(repeating: Queue(), count: count) }

    package subscript(number: Int) -> Entry {
        get { entries[number] }
        _modify { yield &entries[number] }
    }

    package func oldest(of queue: Int) -> Int? {
        queues[queue].oldest == Self.none ? nil : queues[queue].oldest
    }
    package func cost(of queue: Int) -> Int { queues[queue].cost }
    package func count(of queue: Int) -> Int { queues[queue].count }

    /// Returns the entry that was appended to the same queue next; nil for the newest.
    package func newer(than number: Int) -> Int? {
        entries[number].newer == Self.none ? nil : entries[number].newer
    }

    /// Returns the number of the new entry. Numbers of removed entries are used again.
    package mutating func append(to queue: Int, cost: Int, fingerprint: Int) -> Int {
        let entry = Entry(fingerprint: fingerprint, cost: cost, queue: queue)
        let number: Int
        if firstFree == Self.none {
            number = entries.count
            entries.append(entry)
        } else {
            number = firstFree
            assert(entries[number].queue == Self.none, "an entry is free and in a queue")
            firstFree = entries[number].older
            entries[number] = entry
        }
        link(number, to: queue)
        return number
    }

    /// Makes it the newest of that queue.
    package mutating func move(_ number: Int, to queue: Int) {
        unlink(number)
        link(number, to: queue)
    }

    @discardableResult package mutating func remove(_ number: Int) -> Entry {
        let entry = entries[number]
        unlink(number)
        entries[number].older = firstFree
        entries[number].queue = Self.none
        firstFree = number
        return entry
    }

    package mutating func setCost(_ cost: Int, of number: Int) {
        assert(entries[number].queue != Self.none, "an entry that was removed gets a cost")
        let added = cost - entries[number].cost
        entries[number].cost = cost
        queues[entries[number].queue].cost += added
        self.cost += added
    }

    private mutating func link(_ number: Int, to queue: Int) {
        let newest = queues[queue].newest
        assert(
            (newest == Self.none) == (queues[queue].count == 0), "a queue has lost its newest entry"
        )
        assert(
            newest == Self.none || entries[newest].queue == queue,
            "the newest entry is of another queue")
        entries[number].queue = queue
        entries[number].newer = Self.none
        entries[number].older = newest
        if newest == Self.none {
            queues[queue].oldest = number
        } else {
            entries[newest].newer = number
        }
        queues[queue].newest = number
        add(entries[number].cost, 1, to: queue)
    }

    private mutating func unlink(_ number: Int) {
        let entry = entries[number]
        assert(entry.queue != Self.none, "an entry is removed twice")
        assert(
            entry.newer == Self.none
                ? queues[entry.queue].newest == number : entries[entry.newer].older == number,
            "an entry and the newer one don't know each other")
        assert(
            entry.older == Self.none
                ? queues[entry.queue].oldest == number : entries[entry.older].newer == number,
            "an entry and the older one don't know each other")
        if entry.newer == Self.none {
            queues[entry.queue].newest = entry.older
        } else {
            entries[entry.newer].older = entry.older
        }
        if entry.older == Self.none {
            queues[entry.queue].oldest = entry.newer
        } else {
            entries[entry.older].newer = entry.newer
        }
        add(-entry.cost, -1, to: entry.queue)
    }

    private mutating func add(_ cost: Int, _ count: Int, to queue: Int) {
        queues[queue].cost += cost
        queues[queue].count += count
        self.cost += cost
        self.count += count
        assert(queues[queue].count >= 0 && queues[queue].cost >= 0, "a queue has less than nothing")
        assert(self.count == queues.reduce(0) { $0 + $1.count }, "the queues have other entries")
        assert(self.cost == queues.reduce(0) { $0 + $1.cost }, "the queues have another cost")
    }
}
