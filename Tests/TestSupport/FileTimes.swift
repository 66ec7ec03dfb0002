import Glibc

/// Returns when a change of a file would show in its times.
///
/// Filesystems take their times from a kernel clock that advances every few milliseconds, and
/// `utimensat` can't set the time of change. So this waits for the kernel's clock, once, until the
/// instant at which that clock must have advanced.
package func changesShow(of path: String) async throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    let changed = status.st_ctim
    try await blocking {
        var step = timespec()
        clock_getres(CLOCK_REALTIME_COARSE, &step)
        var instant = changed
        instant.tv_nsec += 2 * step.tv_nsec
        instant.tv_sec += instant.tv_nsec / 1_000_000_000
        instant.tv_nsec %= 1_000_000_000
        while clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &instant, nil) == EINTR {}
    }
}
