import Glibc

/// The pauses between attempts to take a lock that another process holds. Locks are held for microseconds,
/// unless their holder was stopped.
struct LockWait {
    /// Time for all attempts.
    static let longest = Duration.seconds(2)
    private static let shortestPause: UInt32 = 50
    private static let longestPause: UInt32 = 20_000

    private let end: ContinuousClock.Instant
    /// Microseconds.
    private var next = Self.shortestPause

    init(_ limit: Duration = longest) { end = .now + limit }

    /// Blocks for a while. Returns false at once if the time is over.
    mutating func pause() -> Bool {
        guard ContinuousClock.now < end else { return false }
        usleep(next)
        next = min(2 * next, Self.longestPause)
        return true
    }
}
