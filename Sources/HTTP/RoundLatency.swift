import CLinux
import Glibc
import Metrics

/// A read from the disk that a request waits for.
struct DiskWait {
    let read: any HitRead
    /// Nanoseconds of the monotonic clock.
    let since = RoundLatency.now()

    init(_ read: any HitRead) { self.read = read }
}

/// Measures how long the responses of a loop take. Belongs to the loop's thread.
struct RoundLatency {
    private let counters: HitCounters
    /// Nanoseconds of the monotonic clock at the start of the round.
    private var start: Int64 = 0
    /// Pictures of this round that waited for no disk.
    private var pictures = (fresh: 0, stale: 0)

    init(_ counters: HitCounters) { self.counters = counters }

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
        if route != .picture || wait != nil {
            record(1, route, isStale: answer.isStale, seconds(since: wait ?? start))
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
        let seconds = seconds(since: start)
        record(pictures.fresh, .picture, isStale: false, seconds)
        record(pictures.stale, .picture, isStale: true, seconds)
        pictures = (0, 0)
    }

    private func seconds(since start: Int64) -> Double { Double(Self.now() - start) / 1e9 }

    private func record(_ count: Int, _ route: HitRoute, isStale: Bool, _ seconds: Double) {
        counters.responses(route, isStale: isStale).seconds.record(seconds, times: count)
    }
}
