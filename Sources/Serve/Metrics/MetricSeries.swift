import CoreMetrics
import Synchronization

/// One line of a metric, or all buckets of a histogram.
protocol MetricSeries: AnyObject, Sendable {
    var value: MetricValue { get }
}

enum MetricValue: Sendable, Equatable {
    case number(Double)
    /// How many were at most each bound, then how many in all and their sum.
    case histogram(buckets: [(bound: Double, count: Int)], count: Int, sum: Double)

    /// Of two of the same kind and bounds.
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

/// A name with a value, as it is when it is asked for.
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

/// Counts by size, in buckets that are the same for all of a kind, so that they can be added up.
final class HistogramSeries: TimerHandler, RecorderHandler, MetricSeries {
    /// From a hit to an origin that takes its time.
    static let seconds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10, 30,
    ]
    static let bytes = (0...7).map { 1_024.0 * Double(1 << (2 * $0)) }

    private let bounds: [Double]
    private let scale: Double
    private let state: Mutex<HistogramCounts>

    /// `scale` is what a recorded number is multiplied with.
    init(bounds: [Double], scale: Double) {
        self.bounds = bounds
        self.scale = scale
        state = Mutex(HistogramCounts(bounds))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
    func record(_ value: Int64) { record(Double(value)) }
    func record(_ value: Double) { record(value, times: 1) }

    /// So many values that are the same.
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

/// How many there were in each bucket.
struct HistogramCounts: Sendable, Equatable {
    /// One for each bound, and one for all beyond.
    var counts: [Int]
    var sum = 0.0

    init(_ bounds: [Double]) { counts = [Int](repeating: 0, count: bounds.count + 1) }

    /// Of two with the same bounds.
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
