/// When and how long to wait before trying again.
package struct RetryPolicy: Sendable, Equatable {
    /// Tries in all, the first included.
    package var attempts = 4
    /// Upper edge of the first pause; doubled each time. The pause is drawn evenly from zero to the
    /// edge ("full jitter").
    package var baseDelay: Duration = .milliseconds(250)
    package var maxDelay: Duration = .seconds(10)
    /// A longer `Retry-After` ends the tries: the answer is then final.
    package var maxRetryAfter: Duration = .seconds(60)

    package init() {}
}

extension RetryPolicy {
    enum Decision: Equatable {
        case stop
        case pause(Duration)
    }

    /// What to do after attempt number `attempt`, counted from one.
    ///
    /// - Parameter random: draws evenly from 0 ..< 1; only called for a pause.
    func decision(
        after end: AttemptEnd, attempt: Int, random: @autoclosure () -> Double
    ) -> Decision {
        guard end.isRetryable, attempt < attempts else { return .stop }
        guard let asked = end.retryAfter else { return .pause(edge(attempt) * random()) }
        // The jitter comes on top of what the origin asked: all that were refused together would
        // else come back together.
        return asked > maxRetryAfter ? .stop : .pause(asked + edge(1) * random())
    }

    private func edge(_ attempt: Int) -> Duration {
        min(maxDelay, baseDelay * (1 << min(attempt - 1, 30)))
    }
}

/// What one attempt came to, as far as retrying is concerned.
struct AttemptEnd: Equatable {
    var isRetryable: Bool
    /// What the origin asked for; `nil` where it didn't.
    var retryAfter: Duration?

    /// Nothing that another try could change.
    static let final = AttemptEnd(isRetryable: false)

    private init(isRetryable: Bool) {
        self.isRetryable = isRetryable
    }

    init(status: Int, retryAfter: Duration?) {
        isRetryable = [408, 425, 429].contains(status) || (500...599).contains(status)
        self.retryAfter = retryAfter
    }

    init(failure: TransferFailure) {
        isRetryable = failure.isRetryable
    }
}
