/// How requests follow each other.
enum Pace: Sendable, Equatable {
    /// Every connection sends its next request when it has its response: what the server can do.
    case closed
    /// Requests are due at even distances, however fast the server answers: what clients see.
    case open(perSecond: Double)
}

/// When the requests of a run are due. Pure; times are nanoseconds from the start of the run.
struct LoadSchedule: Sendable {
    let pace: Pace
    /// Requests in all; nil for as many as `length` has room for.
    let limit: Int?
    /// No request is due at this time or later.
    let length: UInt64
    /// Requests handed out so far.
    private(set) var taken = 0

    init(_ pace: Pace, limit: Int? = nil, length: UInt64) {
        self.pace = pace
        self.limit = limit
        self.length = length
    }

    /// When the next request is due; nil after the last one. In a closed loop it is always due.
    var due: UInt64? { due(taken) }

    /// Takes the next request if it is due. Returns when it should have been sent, which in an open
    /// loop may be long ago.
    mutating func take(at now: UInt64) -> UInt64? {
        guard now < length, let due, due <= now else { return nil }
        taken += 1
        return pace == .closed ? now : due
    }

    /// Returns when each request that was due before the end, and was never taken, should have been
    /// sent. Empty in a closed loop.
    func missed(at now: UInt64) -> [UInt64] {
        guard pace != .closed else { return [] }
        var missed: [UInt64] = []
        while let next = due(taken + missed.count), next <= now { missed.append(next) }
        return missed
    }

    private func due(_ number: Int) -> UInt64? {
        if let limit, number >= limit { return nil }
        guard case .open(let perSecond) = pace else { return 0 }
        let due = UInt64(Double(number) * (1_000_000_000 / perSecond))
        return due < length ? due : nil
    }
}
