/// What waits for one host and what runs there. Pure: every decision takes `now`.
struct HostQueue {
    typealias Instant = ContinuousClock.Instant
    typealias Ticket = HostGate.Ticket

    enum Admission: Equatable {
        case start
        /// Not before this instant.
        case wait(until: Instant)
        /// Not before one of its transfers ends.
        case busy
        /// Not at all: the host is down, and the next probe goes out then.
        case refuse(until: Instant)
    }

    private var waiting: [Ticket] = []
    /// Index of the first that still waits: removal at the front must not move the whole queue.
    private var head = 0
    private var window: SlidingWindow?
    private(set) var running = 0
    private(set) var health: HostHealth

    init(_ policy: HostPolicy, breaker: BreakerPolicy) {
        window = policy.rate.map(SlidingWindow.init)
        health = HostHealth(maxConcurrent: policy.maxConcurrent, breaker: breaker)
    }

    var isEmpty: Bool { head == waiting.count }
    /// Tickets that wait.
    var count: Int { waiting.count - head }

    func isForgettable(at now: Instant) -> Bool {
        isEmpty && running == 0 && health.isForgettable(at: now)
            && (window?.isEmpty(at: now) ?? true)
    }

    mutating func append(_ ticket: Ticket) {
        waiting.append(ticket)
    }

    /// `false` where the ticket doesn't wait here.
    mutating func remove(_ ticket: Ticket) -> Bool {
        guard let index = waiting[head...].firstIndex(of: ticket) else { return false }
        waiting.remove(at: index)
        return true
    }

    mutating func admission(at now: Instant) -> Admission {
        health.passed(now)
        if let rest = health.restsUntil, rest > now {
            return health.refuses ? .refuse(until: rest) : .wait(until: rest)
        }
        if running >= health.limit { return .busy }
        if let held = health.heldUntil { return .wait(until: held) }
        if let opens = window?.opens, opens > now { return .wait(until: opens) }
        return .start
    }

    /// Takes the first ticket, which starts now.
    mutating func start(at now: Instant) -> Ticket {
        window?.record(now)
        running += 1
        return removeFirst()
    }

    /// Takes every ticket, as none will start.
    mutating func refuseAll() -> [Ticket] {
        defer {
            waiting.removeAll()
            head = 0
        }
        return Array(waiting[head...])
    }

    mutating func finish(_ report: HostHealth.Report?, at now: Instant) {
        running -= 1
        if let report { health.note(report, at: now) }
    }

    private mutating func removeFirst() -> Ticket {
        let first = waiting[head]
        head += 1
        if head == waiting.count || head > 64 && head > waiting.count / 2 {
            waiting.removeFirst(head)
            head = 0
        }
        return first
    }
}
