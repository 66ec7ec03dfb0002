import Histogram

/// Latencies as they are recorded, from a nanosecond to an hour with three digits.
struct LatencyHistogram: Sendable {
    private static let most: UInt64 = 3_600_000_000_000
    private var histogram = Histogram<UInt64>(
        highestTrackableValue: most, numberOfSignificantValueDigits: .three)

    /// Records `count` latencies. Longer ones than an hour count as an hour.
    mutating func record(nanoseconds: UInt64, count: UInt64 = 1) {
        _ = histogram.record(min(nanoseconds, Self.most), count: count)
    }

    mutating func add(_ other: LatencyHistogram) { histogram.add(other.histogram) }

    /// What a report keeps; nil without latencies.
    var summary: LatencySummary? {
        let count = histogram.totalCount
        guard count > 0 else { return nil }
        // No percentile that fewer than one request would decide.
        let shown = LatencySummary.percentiles.filter { 100 - $0 >= 100 / Double(count) }
        return LatencySummary(
            count: Int(count), mean: histogram.mean / 1_000,
            points: shown.map { percentile in
                LatencySummary.Point(
                    percentile: percentile,
                    microseconds: Double(histogram.valueAtPercentile(percentile)) / 1_000)
            }, max: Double(histogram.maxRecorded) / 1_000)
    }
}
