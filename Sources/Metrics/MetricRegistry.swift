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
