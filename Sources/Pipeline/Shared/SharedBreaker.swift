/// Decides whether the shared store is asked. After several failures in a row it rests, then one
/// request probes it. Pure.
struct SharedBreaker: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum State: Int, Sendable {
        case closed, halfOpen, open
    }

    /// A store that is slow for one object only isn't down.
    static let threshold = 5
    static let rest: Duration = .seconds(1)
    static let maxRest: Duration = .seconds(30)

    private var failures = 0
    private var rests = 0
    private var restsUntil: Instant?
    private var isProbing = false

    /// Returns whether a request may go. Tell its end by one of the other functions.
    mutating func admit(at now: Instant) -> Bool {
        guard let restsUntil else { return true }
        guard restsUntil <= now, !isProbing else { return false }
        isProbing = true
        return true
    }

    mutating func succeeded() { self = SharedBreaker() }

    mutating func failed(at now: Instant) {
        isProbing = false
        failures += 1
        // Requests that were under way when the rest began only confirm it.
        guard failures >= Self.threshold, restsUntil.map({ $0 <= now }) ?? true else { return }
        restsUntil = now.advanced(by: min(Self.maxRest, Self.rest * (1 << min(rests, 10))))
        rests += 1
    }

    /// A request ended without saying anything about the store.
    mutating func canceled() { isProbing = false }

    func state(at now: Instant) -> State {
        guard let restsUntil else { return .closed }
        return restsUntil > now ? .open : .halfOpen
    }
}
