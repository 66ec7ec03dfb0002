import CoreMetrics
import Synchronization

/// One number of a metric, or all buckets of a histogram.
protocol MetricSeries: AnyObject, Sendable {
    var value: MetricValue { get }
}

enum MetricValue: Sendable, Equatable {
    case number(Double)
    /// The cumulative count per upper bound, then the total count and the sum of all values.
    case histogram(buckets: [(bound: Double, count: Int)], count: Int, sum: Double)

    /// Adds two values of the same kind and bounds.
    static func + (left: Self, right: Self) -> Self {
        switch (left, right) {
        case (.number(let left), .number(let right)): .number(left + right)
        case (
            .histogram(let left, let leftCount, let leftSum),
            .histogram(let right, let rightCount, let rightSum)
        ):
            .histogram(
                buckets: zip(left, right).map { ($0.bound, $0.count + $1.count) },
                count: leftCount + rightCount, sum: leftSum + rightSum)
        default: left
        }
    }

    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): left == right
        case (
            .histogram(let left, let leftCount, let leftSum),
            .histogram(let right, let rightCount, let rightSum)
        ):
            leftCount == rightCount && leftSum == rightSum
                && left.elementsEqual(right) { $0 == $1 }
        default: false
        }
    }
}

/// The value of one series at the time of a snapshot.
struct MetricSample: Sendable, Equatable {
    var name: String
    var kind: MetricKind
    var labels: [MetricLabel] = []
    var value: MetricValue
}

final class CounterSeries: CounterHandler, MetricSeries {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }

    var value: MetricValue { .number(Double(count.load(ordering: .relaxed))) }
}

final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    private let now = Mutex(0.0)

    func set(_ value: Int64) { now.withLock { $0 = Double(value) } }
    func set(_ value: Double) { now.withLock { $0 = value } }
    func increment(by amount: Double) { now.withLock { $0 += amount } }
    func decrement(by amount: Double) { now.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    var value: MetricValue { .number(now.withLock { $0 }) }
}

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
    private let state: Mutex<HistogramCounts>

    /// - Parameter scale: factor for each recorded number.
    init(bounds: [Double], scale: Double) {
        self.bounds = bounds
        self.scale = scale
        state = Mutex(HistogramCounts(bounds))
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

    var counts: HistogramCounts { state.withLock { $0 } }
    var value: MetricValue { counts.value(bounds) }
}

/// The counts of all buckets, not cumulative, and the sum of all values.
struct HistogramCounts: Sendable, Equatable {
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

    func value(_ bounds: [Double]) -> MetricValue {
        var total = 0
        let buckets = zip(bounds, counts).map { bound, count in
            total += count
            return (bound: bound, count: total)
        }
        return .histogram(buckets: buckets, count: total + counts[bounds.count], sum: sum)
    }
}
