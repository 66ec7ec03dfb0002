import Histogram

/// The distribution of latencies, read from an HdrHistogram. Times are microseconds.
struct LatencySummary: Sendable, Equatable, Codable {
    struct Point: Sendable, Equatable, Codable {
        /// 0 to 100.
        var percentile: Double
        var microseconds: Double
    }

    /// Those that too few latencies were recorded for are left out.
    static let percentiles: [Double] = [1, 5, 25, 50, 75, 90, 95, 99, 99.9, 99.99]

    var count: Int
    var mean: Double
    /// In rising order.
    var points: [Point]
    var max: Double

    /// The latency that `percentile` per cent don't exceed; nil if it was not recorded.
    subscript(_ percentile: Double) -> Double? {
        points.first { $0.percentile == percentile }?.microseconds
    }
}
