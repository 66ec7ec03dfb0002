import CLinux
import Glibc

/// Gives a thread real-time scheduling as long as it uses little of a core.
///
/// Hits then don't wait for renders, and other threads don't starve when there are only hits.
/// Belongs to one thread.
package struct Precedence: Sendable {
    /// Nanoseconds between two looks at the thread's share.
    static let interval = 100 * 1_000_000 as Int64

    /// Share of a core below which the thread has precedence; 0 is never.
    private let limit: Double
    private var isHeld = false
    private var isPermitted = true
    private var last = (time: Int64(0), used: Int64(0))

    /// - Parameter percent: of a core, up to which the thread has precedence; 0 is never.
    package init(percent: Int) { limit = Double(percent) / 100 }

    /// Takes or releases precedence. Called at the start of the thread and in each round.
    ///
    /// - Parameter time: nanoseconds of any monotonic clock.
    mutating func check(at time: Int64) {
        guard limit > 0, isPermitted, time - last.time >= Self.interval else { return }
        let used = Self.used()
        let share =
            last.time == 0 ? 0 : Double(used - last.used) / Double(time - last.time)
        last = (time, used)
        let wanted = Self.isWanted(share: share, limit: limit, isHeld: isHeld)
        guard wanted != isHeld else { return }
        // Without the permission (CAP_SYS_NICE or RLIMIT_RTPRIO) the thread runs as any other.
        isPermitted = vitrine_go_first(wanted) == 0
        isHeld = wanted && isPermitted
        if !isHeld { Self.runSoon() }
    }

    /// Lets the calling thread run before renders when a request arrives, as far as that needs no
    /// permission. Lost when precedence is taken. An old kernel has nothing of the kind.
    static func runSoon() { _ = vitrine_run_soon() }

    /// Returns whether precedence is wanted. It is taken only well below the limit, so that it
    /// doesn't change all the time. Pure.
    static func isWanted(share: Double, limit: Double, isHeld: Bool) -> Bool {
        share < (isHeld ? limit : limit / 2)
    }

    /// Returns nanoseconds of processor time of this thread.
    private static func used() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
