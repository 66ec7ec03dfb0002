/// Says how many pictures of a corpus are written, every few seconds: a thousand posters take minutes.
struct CorpusProgress {
    /// Time between two lines.
    static let interval = Duration.seconds(2)

    private let total: Int
    private var done = 0
    private let began: ContinuousClock.Instant
    private var told: ContinuousClock.Instant

    /// - Parameter total: pictures of all kinds.
    init(total: Int, at now: ContinuousClock.Instant) {
        (self.total, began, told) = (total, now, now)
    }

    /// Counts a picture. Returns a line such as `120 of 2000 pictures, about 3 minutes left`; nil if the last one
    /// is from a moment ago, or nothing is left.
    mutating func wrote(at now: ContinuousClock.Instant) -> String? {
        done += 1
        guard done < total, now - told >= Self.interval else { return nil }
        told = now
        let left = (now - began) / .seconds(1) / Double(done) * Double(total - done)
        let time =
            left < 90 ? "\(Int(left.rounded(.up))) s" : "\(Int((left / 60).rounded())) minutes"
        return "\(done) of \(total) pictures, about \(time) left"
    }
}
