/// When a failed attempt is repeated, and after which pause.
package struct RetryPolicy: Sendable, Equatable {
    /// Attempts in total, including the first.
    package var attempts = 4
    /// Upper bound of the first pause, doubled each time. The pause is random between zero and this
    /// bound ("full jitter").
    package var baseDelay: Duration = .milliseconds(250)
    /// Upper bound of every random pause.
    package var maxDelay: Duration = .seconds(10)
    /// A longer `Retry-After` ends the retries, and that response is final.
    package var maxRetryAfter: Duration = .seconds(60)

    package init() {}
}

extension RetryPolicy {
    enum Decision: Equatable {
        case stop
        case pause(Duration)
    }

    /// Returns what to do after attempt number `attempt`, counted from one.
    ///
    /// - Parameter random: returns a uniform number in 0 ..< 1; called only for a pause.
    func decision(
        after end: AttemptEnd, attempt: Int, random: @autoclosure () -> Double
    ) -> Decision {
        guard end.isRetryable, attempt < attempts else { return .stop }
        guard let asked = end.retryAfter else { return .pause(edge(attempt) * random()) }
        // The jitter is added to the origin's pause. Without it all rejected clients would return
        // at the same moment.
        return asked > maxRetryAfter ? .stop : .pause(asked + edge(1) * random())
    }

    private func edge(_ attempt: Int) -> Duration {
        min(maxDelay, baseDelay * (1 << min(attempt - 1, 30)))
    }
}
