/// When a render has to be done. Decoding looks at it every few rows and encoding before each level,
/// as no thread can be stopped from outside.
struct RenderDeadline: Sendable {
    let limit: Duration
    private let end: ContinuousClock.Instant

    /// From now on.
    init(_ limit: Duration) {
        self.limit = limit
        end = .now + limit
    }

    static let none = RenderDeadline(.seconds(86_400 * 365))

    var left: Duration { ContinuousClock.now.duration(to: end) }

    var isOver: Bool { .now > end }

    func check() throws(ImagingError) {
        if isOver { throw .tookTooLong(limit) }
    }
}
