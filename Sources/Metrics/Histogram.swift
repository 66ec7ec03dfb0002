import Synchronization

/// Counts durations in buckets. Any thread.
///
/// All histograms have the same buckets, so they can be added.
package final class Histogram: Sendable {
    /// Bounds in seconds, from a memory hit to a slow origin.
    static let bounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
        10, 30,
    ]

    private let state = Mutex(Counts())

    package init() {}

    /// Records the same duration `times` times.
    package func record(_ seconds: Double, times: Int = 1) {
        guard times > 0 else { return }
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        state.withLock { state in
            state.buckets[bucket] += times
            state.sum += seconds * Double(times)
        }
    }

    package func record(_ duration: Duration) { record(duration / .seconds(1)) }

    package var counts: Counts { state.withLock { $0 } }
}

extension Histogram {
    package struct Counts: Sendable {
        /// One count per bound, and one for larger values. Not cumulative.
        var buckets = [Int](repeating: 0, count: bounds.count + 1)
        /// Of all durations, in seconds.
        var sum = 0.0

        package init() {}

        package var isEmpty: Bool { buckets.allSatisfy { $0 == 0 } }

        package static func += (left: inout Self, right: Self) {
            for (bucket, count) in right.buckets.enumerated() { left.buckets[bucket] += count }
            left.sum += right.sum
        }
    }
}
