import CEpoll
import Glibc

/// Whether a thread runs before everything else on the machine: as long as it takes little of a
/// core, so that a hit waits for nobody who renders, and nobody starves when hits are all there is.
///
/// Belongs to one thread.
struct Precedence {
    /// How often the share is looked at.
    static let interval = 100 * 1_000_000 as Int64

    /// Of a core, up to which it has precedence; 0 is never.
    private let limit: Double
    private var isHeld = false
    private var isPermitted = true
    private var last = (time: Int64(0), used: Int64(0))

    init(percent: Int) { limit = Double(percent) / 100 }

    /// At the start of the thread, and then in each round; `time` in nanoseconds of any clock.
    mutating func check(at time: Int64) {
        guard limit > 0, isPermitted, time - last.time >= Self.interval else { return }
        let used = Self.used()
        let share =
            last.time == 0 ? 0 : Double(used - last.used) / Double(time - last.time)
        last = (time, used)
        let wanted = Self.isWanted(share: share, limit: limit, isHeld: isHeld)
        guard wanted != isHeld else { return }
        // Where it isn't permitted (CAP_SYS_NICE or RLIMIT_RTPRIO), nothing is lost but this.
        isPermitted = vitrine_go_first(wanted) == 0
        isHeld = wanted && isPermitted
    }

    /// Taken back only well below the limit, so that it doesn't change all the time. Pure.
    static func isWanted(share: Double, limit: Double, isHeld: Bool) -> Bool {
        share < (isHeld ? limit : limit / 2)
    }

    /// Nanoseconds of a core.
    private static func used() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
