/// One attempt of a request, and the pause after it.
package struct FetchAttempt: Sendable, Equatable {
    /// The status; nil if the transfer failed.
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
