import CLinux
import Glibc

/// Measures how long the responses of a loop take. Belongs to the loop's thread.
struct RoundLatency {
    private let reports: ServerContext.Reports
    /// Nanoseconds of the monotonic clock at the start of the round.
    private var start: Int64 = 0
    /// Pictures of this round that waited for no disk.
    private var pictures = (fresh: 0, stale: 0)

    init(_ reports: ServerContext.Reports) { self.reports = reports }

    /// Nanoseconds of the monotonic clock.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Begins a round and returns its time.
    mutating func begin() -> Int64 {
        start = Self.now()
        return start
    }

    /// Counts a response that is ready.
    ///
    /// - Parameter wait: when it began to wait for the disk; nil if it didn't.
    mutating func count(_ answer: HitLookup.Answer, waitingSince wait: Int64?) {
        let route = answer.prepared.route
        if route != .picture {
            let seconds = Double(Self.now() - (wait ?? start)) / 1e9
            reports.recordBlob(route, seconds, answer.isStale)
        } else if let wait {
            record(since: wait, answer.isStale ? (0, 1) : (1, 0))
        } else if answer.isStale {
            pictures.stale += 1
        } else {
            pictures.fresh += 1
        }
    }

    /// Records one duration for all pictures of the round. It includes the wait behind the others and
    /// needs one look at the clock.
    mutating func end() {
        guard pictures.fresh + pictures.stale > 0 else { return }
        record(since: start, pictures)
        pictures = (0, 0)
    }

    private func record(since start: Int64, _ count: (fresh: Int, stale: Int)) {
        reports.recordLatency(Double(Self.now() - start) / 1e9, count.fresh, count.stale)
    }
}
