/// When the next item of a run may begin. Pure.
struct WarmPace {
    typealias Instant = ContinuousClock.Instant

    private let interval: Duration?
    private var next: Instant?

    /// - Parameter rate: items per second; nil for no limit.
    init(rate: Double?) { interval = rate.map { .seconds(1 / $0) } }

    /// Takes the next turn. Returns when it comes; nil if it is now.
    mutating func turn(at now: Instant) -> Instant? {
        guard let interval else { return nil }
        let turn = max(now, next ?? now)
        next = turn.advanced(by: interval)
        return turn > now ? turn : nil
    }
}
