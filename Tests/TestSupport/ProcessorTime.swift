import Glibc

/// Returns the processor time of the work on this thread, however busy the machine is.
package func processorTime(of work: () throws -> Void) rethrows -> Duration {
    func used() -> Duration {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }
    let before = used()
    try work()
    return used() - before
}

/// Returns how work grows faster than its input, in a sentence; nil if it doesn't.
///
/// The input is doubled four times. Sixteen times the input takes a linear reader sixteen times the processor
/// time, and a quadratic one 256 times; 64 are the limit, so that either may be wrong by a factor of four. The
/// least of several runs counts, because other work on the machine can only make a run slower. A quadratic
/// reader fails after three doublings, long before the suite's limit of time.
///
/// - Parameters:
///   - size: of the first input, which should take some tenths of a millisecond.
///   - input: makes an input of that size.
package func excessiveGrowth<Input>(
    from size: Int, _ input: (Int) -> Input, _ work: (Input) throws -> Void
) rethrows -> String? {
    let (doublings, slack, attempts) = (4, 4, 5)
    let smallest = input(size)
    var least = Duration.seconds(1_000)
    for _ in 0..<attempts { least = min(least, try processorTime { try work(smallest) }) }
    // What takes less can't be measured.
    least = max(least, .microseconds(50))
    for doubling in 1...doublings {
        let larger = input(size << doubling)
        let limit = least * (slack << doubling)
        var taken = Duration.seconds(1_000)
        for _ in 0..<attempts where taken > limit {
            taken = min(taken, try processorTime { try work(larger) })
        }
        if taken > limit {
            let times = Int((taken / least).rounded())
            return "\(1 << doubling) times \(size) takes \(times) times as long"
        }
    }
    return nil
}
