import Synchronization
package import Threads

/// The metrics of a process. Each module declares its own, once and with its help. Any thread.
package final class MetricRegistry: Sendable {
    private let parts = Mutex<[@Sendable (inout MetricText) -> Void]>([])

    package init() {}

    /// Declares a counter for each combination of the values of `labels`.
    package func counters(
        _ name: String, _ help: String, by labels: String...
    ) -> Labeled<Counter> {
        let counters = Labeled { Counter() }
        show { $0.counters(name, help, by: labels, counters.all.mapValues(\.value)) }
        return counters
    }

    /// Declares a histogram of durations for each combination of the values of `labels`.
    package func histograms(
        _ name: String, _ help: String, by labels: String...
    ) -> Labeled<Histogram> {
        let histograms = Labeled { Histogram() }
        show { $0.histograms(name, help, by: labels, histograms.all.mapValues(\.counts)) }
        return histograms
    }

    /// Adds metrics whose values a module has anyway.
    ///
    /// - Parameter part: called at each scrape.
    package func show(_ part: @escaping @Sendable (inout MetricText) -> Void) {
        parts.withLock { $0.append(part) }
    }

    /// Returns the text of all metrics that were declared here.
    package var text: MetricText {
        let parts = parts.withLock { $0 }
        return parts.reduce(into: MetricText()) { $1(&$0) }
    }
}

/// The series of one metric, by the values of its labels. Any thread.
///
/// A series lives as long as the metric, so that counts are never lost.
package final class Labeled<Series: Sendable>: Sendable {
    private let make: @Sendable () -> Series
    private let series = Mutex<[[String]: Series]>([:])

    package init(_ make: @escaping @Sendable () -> Series) { self.make = make }

    /// - Parameter values: in the order of the labels, from sets that are small.
    package subscript(_ values: String...) -> Series {
        series.withLock { series in
            if let known = series[values] { return known }
            let made = make()
            series[values] = made
            return made
        }
    }

    package var all: [[String]: Series] { series.withLock { $0 } }
}
