#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The processor time that a render has. Decoding looks at it every few rows and encoding before each
/// level, as no thread can be stopped from outside. Made and asked on the thread that renders.
///
/// Not the clock on the wall: a busy machine doesn't make a picture a bad one.
struct RenderDeadline {
    let limit: Duration
    private let end: Duration

    /// From now on.
    init(_ limit: Duration) {
        self.limit = limit
        end = Self.used + limit
    }

    static let none = RenderDeadline(.seconds(86_400 * 365))

    var left: Duration { end - Self.used }

    func check() throws(ImagingError) {
        if left < .zero { throw .tooSlow(seconds: limit / .seconds(1)) }
    }

    /// By this thread.
    private static var used: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
