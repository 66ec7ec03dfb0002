#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The end of a render's processor time. Decoding checks it every few rows and encoding before each
/// level, because a thread can't be stopped from outside. Created and checked on the render thread.
///
/// Wall-clock time would make a busy machine look like a bad picture.
struct RenderDeadline {
    /// Wall-clock time allowed per processor time: other work needs the cores, too.
    static let clockFactor = 4

    let limit: Duration
    private let end: Duration
    private let endByClock: SuspendingClock.Instant

    /// Starts now.
    init(_ limit: Duration) {
        self.limit = limit
        end = Self.used + limit
        endByClock = .now + limit * Self.clockFactor
    }

    static let none = RenderDeadline(.seconds(86_400 * 365))

    var left: Duration { end - Self.used }

    /// Time left by the clock, which stands still while the machine sleeps.
    var leftByClock: Duration { SuspendingClock.now.duration(to: endByClock) }

    func check() throws(ImagingError) {
        if left < .zero { throw .tooSlow(seconds: limit / .seconds(1)) }
    }

    /// Checks the clock as well, for work that was stopped by it.
    ///
    /// - Throws: ``ImagingError/overloaded`` if only the clock has run out, which is not the picture's
    ///   fault.
    func checkClock() throws(ImagingError) {
        try check()
        if leftByClock < .zero { throw .overloaded }
    }

    /// Processor time of this thread.
    static var used: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
