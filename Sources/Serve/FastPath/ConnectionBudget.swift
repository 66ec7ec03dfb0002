import Synchronization

/// Open connections, over all threads.
final class ConnectionBudget: Sendable {
    let limit: Int
    private let open = Atomic<Int>(0)
    /// Connections of event loops that drip, as they last looked.
    private let drips = Atomic<Int>(0)

    init(limit: Int) { self.limit = limit }

    /// So many short of the bound, idle connections begin to be closed, as nginx does.
    var room: Int { max(1, limit / 16) }
    var isFull: Bool { open.load(ordering: .relaxed) >= limit }
    /// How many should go so that there is room again.
    var surplus: Int { open.load(ordering: .relaxed) - (limit - room) }

    var dripping: Int { drips.load(ordering: .relaxed) }

    func noteDripping(_ change: Int) { drips.add(change, ordering: .relaxed) }
    func take() { open.add(1, ordering: .relaxed) }
    func give() { open.subtract(1, ordering: .relaxed) }
}
