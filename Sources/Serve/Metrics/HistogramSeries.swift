import CoreMetrics
import Synchronization

/// Counts values in buckets. All series of a kind have the same buckets, so they can be added.
final class HistogramSeries: TimerHandler, RecorderHandler, MetricSeries {
    /// Bounds in seconds, from a memory hit to a slow origin.
    static let seconds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10, 30,
    ]
    /// Bounds in bytes, from 1 KiB to 16 MiB.
    static let bytes = (0...7).map { 1_024.0 * Double(1 << (2 * $0)) }

    private let bounds: [Double]
    private let scale: Double
    private let state: Mutex<HistogramSeries.Counts>

    /// - Parameter scale: factor for each recorded number.
    init(bounds: [Double], scale: Double) {
        self.bounds = bounds
        self.scale = scale
        state = Mutex(HistogramSeries.Counts(bounds))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { record(value, times: 1) }

    /// Records the same value `times` times.
    func record(_ value: Double, times: Int) {
        guard times > 0 else { return }
        let value = value * scale
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += times
            state.sum += value * Double(times)
        }
    }

    var counts: HistogramSeries.Counts { state.withLock { $0 } }
    var value: MetricSample.Value { counts.value(bounds) }
}

extension HistogramSeries {
    /// The counts of all buckets, not cumulative, and the sum of all values.
    struct Counts: Sendable, Equatable {
        /// One count per bound, and one for larger values.
        var counts: [Int]
        var sum = 0.0

        init(_ bounds: [Double]) { counts = [Int](repeating: 0, count: bounds.count + 1) }

        /// Adds two with the same bounds.
        static func + (left: Self, right: Self) -> Self {
            var both = left
            both.counts = zip(left.counts, right.counts).map(+)
            both.sum += right.sum
            return both
        }

        func value(_ bounds: [Double]) -> MetricSample.Value {
            var total = 0
            let buckets = zip(bounds, counts).map { bound, count in
                total += count
                return (bound: bound, count: total)
            }
            return .histogram(buckets: buckets, count: total + counts[bounds.count], sum: sum)
        }
    }
}
