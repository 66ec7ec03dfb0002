/// Tickets that wait for a point in time, sorted with the earliest last.
struct Pauses {
    typealias Instant = ContinuousClock.Instant

    private var entries: [(until: Instant, ticket: HostGate.Ticket)] = []

    var next: Instant? { entries.last?.until }

    mutating func add(_ ticket: HostGate.Ticket, until instant: Instant) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].until > instant { low = middle + 1 } else { high = middle }
        }
        entries.insert((instant, ticket), at: low)
    }

    mutating func remove(_ ticket: HostGate.Ticket) {
        entries.removeAll { $0.ticket == ticket }
    }

    /// Removes and returns the earliest ticket that is due.
    mutating func popDue(at now: Instant) -> HostGate.Ticket? {
        guard let next, next <= now else { return nil }
        return entries.removeLast().ticket
    }
}
