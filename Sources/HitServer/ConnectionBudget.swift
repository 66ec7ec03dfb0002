import Synchronization

/// Bounds the open connections of all threads.
package final class ConnectionBudget: Sendable {
    let limit: Int
    private let open = Atomic<Int>(0)
    /// Dripping connections of event loops, as they last counted them.
    private let drips = Atomic<Int>(0)

    package init(limit: Int) { self.limit = limit }

    /// Idle connections are closed once fewer than this many are free, as nginx does.
    var reserve: Int { max(1, limit / 16) }
    var isFull: Bool { open.load(ordering: .relaxed) >= limit }
    /// Connections to close so that the reserve is free again.
    var surplus: Int { open.load(ordering: .relaxed) - (limit - reserve) }

    var dripping: Int { drips.load(ordering: .relaxed) }

    package func addDripping(_ change: Int) { drips.add(change, ordering: .relaxed) }
    func take() { open.add(1, ordering: .relaxed) }
    package func give() { open.subtract(1, ordering: .relaxed) }
}
