import DequeModule
import Threads

/// The queued and running transfers of one host. Pure: every decision takes `now`.
struct HostQueue {
    typealias Instant = ContinuousClock.Instant
    typealias Ticket = UInt64

    /// A queue that takes turns with the others.
    struct Line: Hashable {
        /// The client; nil if it is unknown.
        var share: String?
        /// Whether its tickets need a permit too. Tickets without one don't wait behind them.
        var isBounded: Bool
        /// Whether its tickets have memory. They don't wait behind those that wait for memory.
        var hasRoom = false
        /// Whether clients wait for its tickets.
        var isUrgent = true
    }

    private var lines: [Line: Deque<Ticket>] = [:]
    /// Lines with tickets, the one served longest ago first.
    private var order: [Line] = []
    private var places: [Ticket: Line] = [:]
    /// Of tickets that no client waits for.
    private var urgencies: [Ticket: Urgency] = [:]
    /// The tickets that wait for a permit: one with memory, and one without. No other one asks meanwhile,
    /// because a permit taken early would be held while the host's rate limit delays the start.
    private var asked: [Bool: Ticket] = [:]
    private var window: SlidingWindow?
    private(set) var running = 0
    private(set) var health: HostHealth

    init(_ policy: HostPolicy, breaker: BreakerPolicy) {
        window = policy.rate.map(SlidingWindow.init)
        health = HostHealth(maxConcurrent: policy.maxConcurrent, breaker: breaker)
    }

    /// Takes another policy. What was started counts for its rate.
    mutating func change(to policy: HostPolicy) {
        health.change(maxConcurrent: policy.maxConcurrent)
        guard let rate = policy.rate else {
            window = nil
            return
        }
        if window == nil { window = SlidingWindow(rate) } else { window?.change(to: rate) }
    }

    var isEmpty: Bool { places.isEmpty }
    /// The number of queued tickets.
    var count: Int { places.count }

    func isForgettable(at now: Instant) -> Bool {
        isEmpty && running == 0 && health.isForgettable(at: now)
            && (window?.isEmpty(at: now) ?? true)
    }

    mutating func append(_ ticket: Ticket, _ line: Line, _ urgency: Urgency? = nil) {
        var line = line
        if let urgency, !urgency.isRaised {
            line.isUrgent = false
            urgencies[ticket] = urgency
        }
        assert(places[ticket] == nil, "a ticket is queued twice")
        if lines[line] == nil { order.append(line) }
        lines[line, default: []].append(ticket)
        places[ticket] = line
        assert(isBalanced, "a ticket is in no line")
    }

    /// Whether each ticket is in a line, and each line has its turn.
    private var isBalanced: Bool {
        lines.values.reduce(0) { $0 + $1.count } == places.count && order.count == lines.count
            && asked.values.allSatisfy { places[$0] != nil }
            && urgencies.count <= places.count
    }

    /// Removes a ticket. Returns false if it is not queued here.
    mutating func remove(_ ticket: Ticket) -> Bool {
        guard let line = places.removeValue(forKey: ticket) else { return false }
        if asked[line.hasRoom] == ticket { asked[line.hasRoom] = nil }
        urgencies[ticket] = nil
        lines[line]?.removeAll { $0 == ticket }
        if lines[line]?.isEmpty == true {
            lines[line] = nil
            order.removeAll { $0 == line }
        }
        assert(isBalanced, "a removed ticket is still in a line")
        return true
    }

    mutating func admission(at now: Instant) -> HostAdmission {
        health.passed(now)
        if let rest = health.restsUntil, rest > now {
            return health.refuses ? .refuse(.resting(rest - now)) : .wait(until: rest)
        }
        if let held = health.longHold(at: now) { return .refuse(.held(held)) }
        if running >= health.limit { return .busy }
        if let held = health.heldUntil { return .wait(until: held) }
        return window?.admission(at: now) ?? .start
    }

    /// Returns whether tickets are queued that clients wait for, or others.
    mutating func hasTickets(_ urgent: Bool) -> Bool {
        for ticket in urgencies.filter(\.value.isRaised).keys.sorted() {
            guard var line = places[ticket] else { continue }
            let hasAsked = asked[line.hasRoom] == ticket
            _ = remove(ticket)
            line.isUrgent = true
            append(ticket, line)
            if hasAsked { asked[line.hasRoom] = ticket }
        }
        return order.contains { $0.isUrgent == urgent }
    }

    /// Removes and returns the ticket that starts now: the first of the next line for which
    /// `mayStart` returns true; nil if no transfer may start.
    ///
    /// - Parameter urgent: whether a ticket is meant that a client waits for.
    mutating func start(
        _ urgent: Bool, at now: Instant, _ mayStart: (Ticket) -> Bool
    ) -> Ticket? {
        for (index, line) in order.enumerated() where line.isUrgent == urgent {
            guard let ticket = lines[line]?.first else { continue }
            if line.isBounded {
                guard asked[line.hasRoom] == nil || asked[line.hasRoom] == ticket else { continue }
                guard mayStart(ticket) else {
                    asked[line.hasRoom] = ticket
                    continue
                }
                asked[line.hasRoom] = nil
            } else if !mayStart(ticket) {
                continue
            }
            lines[line]?.removeFirst()
            places[ticket] = nil
            urgencies[ticket] = nil
            order.remove(at: index)
            if lines[line]?.isEmpty == true { lines[line] = nil } else { order.append(line) }
            window?.start(ticket, at: now)
            running += 1
            assert(isBalanced, "a started ticket is still in a line")
            return ticket
        }
        return nil
    }

    /// Removes all tickets and returns them.
    mutating func refuseAll() -> [Ticket] {
        defer {
            lines = [:]
            order = []
            places = [:]
            urgencies = [:]
            asked = [:]
        }
        return Array(places.keys)
    }

    mutating func finish(
        _ ticket: Ticket, _ report: HostHealth.Report?, arrivedBy arrival: Instant, at now: Instant
    ) {
        running -= 1
        assert(running >= 0, "more transfers end than have started")
        window?.end(ticket, arrivedBy: arrival)
        if let report { health.note(report, at: now) }
    }
}
