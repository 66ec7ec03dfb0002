/// When an unreachable host is suspended, and how it recovers.
package struct BreakerPolicy: Sendable, Equatable {
    /// Transfers in a row that found no server. A bad page or a 500 doesn't count, because it says
    /// nothing about the next URL.
    package var threshold = 10
    /// The first rest, doubled while probes fail. It is short so that a restarted origin is found
    /// soon.
    package var rest: Duration = .seconds(2)
    /// Upper bound of a rest.
    package var maxRest: Duration = .seconds(30)
    /// Upper bound of the pause that a host asks for with 429, so that an origin's mistake ends by
    /// itself. Spent quotas last for hours; one request an hour finds out when they end.
    package var maxHold: Duration = .seconds(3600)
    /// During a longer pause requests are rejected instead of queued, as it ends their retries.
    package var maxWait: Duration = RetryPolicy().maxRetryAfter

    package init() {}
}

/// Tracks how well one host responds: its concurrency limit, and whether it may be used at all.
///
/// - An overloaded host (429, 503) gets half the concurrency.
/// - An unreachable host rests. Then one probe is sent.
/// - The limit rises by one after as many good responses as it allows transfers, so that a host that
///   recovers isn't overloaded again at once.
struct HostHealth {
    typealias Instant = ContinuousClock.Instant

    enum Report: Equatable {
        /// The host responded, with any status.
        case answered
        /// The host responded 429 or 503, with the pause that it wants from every client, if any.
        case overloaded(hold: Duration?)
        /// No server was found, or none that accepted a connection in time.
        case unreachable
    }

    private let breaker: BreakerPolicy
    private var maxConcurrent: Int
    /// Transfers that may run at the same time now.
    private(set) var limit: Int
    /// No transfer starts before this instant, because the host asked for that.
    private(set) var heldUntil: Instant?
    /// No transfer starts before this instant, when the host's rest ends.
    private(set) var restsUntil: Instant?
    private var unreachable = 0
    private var rests = 0
    /// Good responses since the limit changed.
    private var good = 0

    /// Whether queued transfers are rejected while the host rests.
    ///
    /// During the first rest they stay queued: the host may be restarting, and many quick failures
    /// would not help. After a failed probe the host counts as down.
    var refuses: Bool { rests > 1 }

    /// When the last report came.
    private var noted: Instant?

    init(maxConcurrent: Int, breaker: BreakerPolicy) {
        self.maxConcurrent = max(1, maxConcurrent)
        self.breaker = breaker
        limit = self.maxConcurrent
    }

    /// Takes another limit. A host that has fewer places now for a reason keeps them.
    mutating func change(maxConcurrent most: Int) {
        let most = max(1, most)
        limit = limit == maxConcurrent ? most : min(limit, most)
        maxConcurrent = most
        assert((1...maxConcurrent).contains(limit), "a host has \(limit) places")
    }

    /// Returns whether this state can be dropped: it equals a fresh one, or is older than any rest.
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
        defer {
            assert((1...maxConcurrent).contains(limit), "a host has \(limit) places")
            assert((rests > 0) == (restsUntil != nil), "a host rests without an end")
        }
        noted = now
        switch report {
        case .answered:
            recover()
            good += 1
            guard good >= limit else { break }
            good = 0
            limit = min(maxConcurrent, limit + 1)
        case .overloaded(let hold):
            recover()
            good = 0
            limit = max(1, limit / 2)
            if let hold {
                heldUntil = max(heldUntil ?? now, now.advanced(by: min(hold, breaker.maxHold)))
            }
        case .unreachable:
            unreachable += 1
            // During a rest, transfers that were still running only confirm the state.
            guard unreachable >= breaker.threshold, restsUntil.map({ $0 <= now }) ?? true
            else { return }
            let rest = min(breaker.maxRest, breaker.rest * (1 << min(rests, 20)))
            rests += 1
            restsUntil = now.advanced(by: rest)
            limit = 1
            good = 0
        }
    }

    private mutating func recover() {
        unreachable = 0
        rests = 0
        restsUntil = nil
    }

    /// Returns what is left of a pause that nothing is queued for.
    func longHold(at now: Instant) -> Duration? {
        heldUntil.map { $0 - now }.flatMap { $0 > breaker.maxWait ? $0 : nil }
    }

    /// Clears a hold that is over.
    mutating func passed(_ now: Instant) {
        if let held = heldUntil, held <= now { heldUntil = nil }
    }
}
