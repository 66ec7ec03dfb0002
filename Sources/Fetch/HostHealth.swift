/// How one host bears what it is asked: the concurrency it gets, and whether it gets anything.
///
/// A host that says "too much" is asked less at once, and one more again with each good answer. A
/// host that isn't there rests; then one probe goes out, whose answer opens the way step by step.
struct HostHealth {
    typealias Instant = ContinuousClock.Instant

    enum Report: Equatable {
        /// The host answered, whatever the status.
        case answered
        /// 429 or 503; with the pause that it asked of every client, if any.
        case overloaded(hold: Duration?)
        /// No server was found, or none that says anything in time.
        case unreachable
    }

    private let breaker: BreakerPolicy
    private let maxConcurrent: Int
    /// Transfers at once that the host gets now.
    private(set) var limit: Int
    /// No start before this instant; the queue waits.
    private(set) var heldUntil: Instant?
    /// No start before this instant.
    private(set) var restsUntil: Instant?
    private var unreachable = 0
    private var rests = 0

    /// Whether what waits is refused while the host rests. The first rest is waited for: it may be
    /// a restart, and a mass of quick failures would help nobody. After a failed probe it is down.
    var refuses: Bool { rests > 1 }

    /// When the last report came.
    private var noted: Instant?

    init(maxConcurrent: Int, breaker: BreakerPolicy) {
        self.maxConcurrent = max(1, maxConcurrent)
        self.breaker = breaker
        limit = self.maxConcurrent
    }

    /// Whether what is known is worth keeping: not when a fresh value says the same, nor when it is
    /// older than any rest.
    func isForgettable(at now: Instant) -> Bool {
        if let held = heldUntil, held > now { return false }
        guard let noted, limit < maxConcurrent || unreachable > 0 else { return true }
        return noted.advanced(by: breaker.maxRest * 2) <= now
    }

    func breaker(at now: Instant) -> HostState.Breaker {
        guard let restsUntil else { return .closed }
        return restsUntil > now ? .open : .halfOpen
    }

    mutating func note(_ report: Report, at now: Instant) {
        noted = now
        switch report {
        case .answered:
            recover()
            limit = min(maxConcurrent, limit + 1)
        case .overloaded(let hold):
            recover()
            limit = max(1, limit / 2)
            if let hold {
                heldUntil = max(heldUntil ?? now, now.advanced(by: hold))
            }
        case .unreachable:
            unreachable += 1
            // While it rests, the transfers that were under way only confirm what is known.
            guard unreachable >= breaker.threshold, restsUntil.map({ $0 <= now }) ?? true
            else { return }
            let rest = min(breaker.maxRest, breaker.rest * (1 << min(rests, 20)))
            rests += 1
            restsUntil = now.advanced(by: rest)
            limit = 1
        }
    }

    private mutating func recover() {
        unreachable = 0
        rests = 0
        restsUntil = nil
    }

    /// Forgets a hold that is over.
    mutating func passed(_ now: Instant) {
        if let held = heldUntil, held <= now { heldUntil = nil }
    }
}
