/// One try of a request: what came, and how long was waited afterwards.
package struct FetchAttempt: Sendable, Equatable {
    /// Status, or `nil` where the transfer failed.
    package var status: Int?
    /// Why the transfer failed, in words, without secrets.
    package var failure: String?
    package var duration: Duration
    /// Pause before the next attempt; zero for the last.
    package var pause: Duration

    package init(status: Int?, failure: String?, duration: Duration, pause: Duration) {
        self.status = status
        self.failure = failure
        self.duration = duration
        self.pause = pause
    }
}
