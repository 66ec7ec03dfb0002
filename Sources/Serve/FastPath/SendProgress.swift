import NIOCore

/// Whether what waits to be sent on a socket moves.
struct SendProgress {
    /// A client that takes less than this within the time of a pause counts as taking nothing.
    static let leastProgress = 16 << 10

    /// What waits.
    private(set) var bytes = 0
    private var sent = 0
    private var since = NIODeadline.distantPast

    /// Whether bytes have waited for longer than `limit` and next to none left. Where `written` is all that
    /// was ever to be sent, further ones that join them count for nothing. On the event loop.
    mutating func isStuck(
        _ channel: any Channel, written: Int = 0, at now: NIODeadline, for limit: TimeAmount
    ) -> Bool {
        // A channel that can't tell is closed, and nothing waits.
        bytes = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        // Below what it was: others' bytes joined those that wait.
        let moved = written - bytes - sent
        if bytes == 0 || moved < 0 || moved >= Self.leastProgress {
            sent = written - bytes
            since = now
            return false
        }
        return now - since > limit
    }
}
