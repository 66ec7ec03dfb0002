/// The last starts of one host, for a rate that holds in *any* window, not only in aligned ones.
struct SlidingWindow {
    typealias Instant = ContinuousClock.Instant

    private let count: Int
    private let per: Duration
    /// A ring buffer once it is full; `oldest` is then overwritten next.
    private var starts: [Instant] = []
    private var oldest = 0

    init(_ rate: HostPolicy.Rate) {
        count = max(1, rate.count)
        per = rate.per
    }

    /// When the next start is allowed; `nil` or a past instant means now.
    var opens: Instant? {
        starts.count < count ? nil : starts[oldest].advanced(by: per)
    }

    func isEmpty(at now: Instant) -> Bool {
        guard !starts.isEmpty else { return true }
        let newest = starts[(oldest + starts.count - 1) % starts.count]
        return newest.advanced(by: per) <= now
    }

    mutating func record(_ now: Instant) {
        if starts.count < count {
            starts.append(now)
        } else {
            starts[oldest] = now
            oldest = (oldest + 1) % count
        }
    }
}
