import Glibc

/// Returns the processor time of the work on this thread, however busy the machine is.
func processorTime(of work: () throws -> Void) rethrows -> Duration {
    func used() -> Duration {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }
    let before = used()
    try work()
    return used() - before
}
