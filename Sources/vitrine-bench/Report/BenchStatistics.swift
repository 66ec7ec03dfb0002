/// The middle of some samples and how far they spread.
struct BenchStatistics: Sendable, Equatable {
    let median: Double
    /// The median absolute deviation: half of the samples are at most this far from the median. One
    /// outlier doesn't move it.
    let deviation: Double
    let least: Double
    let most: Double
    let count: Int

    /// Nil without samples.
    init?(_ samples: [Double]) {
        guard let least = samples.min(), let most = samples.max() else { return nil }
        let median = Self.median(samples)
        self.median = median
        self.least = least
        self.most = most
        deviation = Self.median(samples.map { abs($0 - median) })
        count = samples.count
    }

    /// The deviation as a share of the median; 0 if the median is 0.
    var relativeDeviation: Double { median == 0 ? 0 : deviation / abs(median) }

    /// Fewer rounds say nothing of how far they spread.
    static let leastRounds = 3

    /// The deviation as a share of the median, for people; nil of too few rounds.
    var spread: String? {
        count < Self.leastRounds ? nil : BenchText.percent(relativeDeviation)
    }

    /// Returns the middle value, or the mean of the middle two; 0 without values.
    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// Returns the median of `values[i] / others[i]` over the rounds that both have. Rounds of one
    /// run are interleaved, so what slows the machine for a while drops out of it. Nil if there is
    /// no such round.
    static func pairedRatio(_ values: [Double?], to others: [Double?]) -> Double? {
        let ratios = zip(values, others).compactMap { value, other -> Double? in
            guard let value, let other, other != 0 else { return nil }
            return value / other
        }
        return ratios.isEmpty ? nil : median(ratios)
    }
}
