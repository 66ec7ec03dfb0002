import NIOCore

/// Measures whether the bytes that wait to be sent on a socket move.
struct SendProgress {
    /// Bytes within a send timeout; a client that takes fewer counts as stuck.
    static let leastProgress = 16 << 10

    /// Bytes that wait.
    private(set) var bytes = 0
    private var sent = 0
    private var since = NIODeadline.distantPast

    /// Returns whether bytes have waited for longer than `limit` and next to none left. On the event
    /// loop.
    ///
    /// - Parameter written: all bytes ever to be sent, so that bytes that join the waiting ones don't
    ///   hide progress.
    mutating func isStuck(
        _ channel: any Channel, written: Int = 0, at now: NIODeadline, for limit: TimeAmount
    ) -> Bool {
        // A channel without this option is closed, so nothing waits.
        bytes = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
        // Negative if other bytes joined the waiting ones.
        let moved = written - bytes - sent
        if bytes == 0 || moved < 0 || moved >= Self.leastProgress {
            sent = written - bytes
            since = now
            return false
        }
        return now - since > limit
    }
}
