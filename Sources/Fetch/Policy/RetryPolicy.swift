/// When a failed attempt is repeated, and after which pause.
package struct RetryPolicy: Sendable, Equatable {
    /// Attempts in total, including the first. Their random pauses take 1,750 ms together at most;
    /// ``BreakerPolicy`` deals with longer faults.
    package var attempts = 4
    /// Upper bound of the first pause, doubled each time: about one round trip across the world. The pause is
    /// random between zero and this bound ("full jitter").
    package var baseDelay: Duration = .milliseconds(250)
    /// A longer `Retry-After` ends the retries, and that response is final: clients don't wait longer for
    /// a picture.
    package var maxRetryAfter: Duration = .seconds(60)

    package init() {}
}

extension RetryPolicy {
    /// Returns whether another attempt may get another status.
    static func isTemporary(_ status: Int) -> Bool {
        [408, 425, 429].contains(status) || (500...599).contains(status)
    }

    /// Returns the pause after attempt number `attempt`, counted from one, that may be repeated; nil if
    /// it is the last.
    ///
    /// - Parameters:
    ///   - asked: the pause that the origin wants; nil if it named none.
    ///   - random: returns a uniform number in 0 ..< 1; called only for a pause.
    func pause(
        after attempt: Int, asked: Duration? = nil, random: @autoclosure () -> Double
    ) -> Duration? {
        guard attempt < attempts else { return nil }
        guard let asked else { return edge(attempt) * random() }
        // The jitter is added to the origin's pause. Without it all rejected clients would return
        // at the same moment.
        return asked > maxRetryAfter ? nil : asked + edge(1) * random()
    }

    private func edge(_ attempt: Int) -> Duration {
        baseDelay * (1 << min(attempt - 1, 30))
    }
}
