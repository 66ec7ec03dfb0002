/// The value of one series at the time of a snapshot.
struct MetricSample: Sendable, Equatable {
    var name: String
    var kind: MetricSample.Kind
    var labels: [MetricSample.Label] = []
    var value: MetricSample.Value
}

extension MetricSample {
    /// One `name="value"` label of a series.
    struct Label: Hashable, Comparable, Sendable {
        var name: String
        var value: String

        static func < (left: Self, right: Self) -> Bool {
            (left.name, left.value) < (right.name, right.value)
        }
    }

    enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    enum Value: Sendable, Equatable {
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
}

/// One number of a metric, or all buckets of a histogram.
protocol MetricSeries: AnyObject, Sendable {
    var value: MetricSample.Value { get }
}
