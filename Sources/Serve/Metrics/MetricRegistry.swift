package import CoreMetrics
import Synchronization

/// Everything that is counted and measured, behind swift-metrics' API; gives Prometheus' text.
///
/// One value for each label and set of dimensions, whoever asks. Any thread; making one takes a lock,
/// adding to it does not, but for histograms.
package final class MetricRegistry: MetricsFactory {
    private let families = Mutex<[String: MetricFamily]>([:])

    package init() {}

    package func makeCounter(
        label: String, dimensions: [(String, String)]
    ) -> any CounterHandler {
        series(label, dimensions, .counter, as: CounterSeries.self) { CounterSeries() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge, as: GaugeSeries.self) { GaugeSeries() }
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        if aggregate {
            return series(label, dimensions, .histogram, as: HistogramSeries.self) {
                HistogramSeries(bounds: HistogramSeries.bytes, scale: 1)
            }
        }
        return series(label, dimensions, .gauge, as: GaugeSeries.self) { GaugeSeries() }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram, as: HistogramSeries.self) {
            HistogramSeries(bounds: HistogramSeries.seconds, scale: 1e-9)
        }
    }

    // A series lives as long as the process: what was counted stays counted.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// All of it, by name.
    var snapshot: [MetricSample] {
        families.withLock { $0 }.values.flatMap(\.samples)
    }

    private func series<Series: MetricSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricKind,
        as type: Series.Type, _ make: () -> Series
    ) -> Series {
        let labels = dimensions.map { MetricLabel(name: $0, value: $1) }.sorted()
        return families.withLock { families in
            var family = families[label] ?? MetricFamily(name: label, kind: kind)
            if let known = family.series[labels] as? Series { return known }
            let made = make()
            // A name that was something else before is the programmer's mistake; the first stays.
            guard family.kind == kind else { return made }
            family.series[labels] = made
            families[label] = family
            return made
        }
    }
}

/// `name="value"` of a series.
struct MetricLabel: Hashable, Comparable, Sendable {
    var name: String
    var value: String

    static func < (left: Self, right: Self) -> Bool {
        (left.name, left.value) < (right.name, right.value)
    }
}

enum MetricKind: String, Sendable {
    case counter, gauge, histogram
}

/// All series of one name.
private struct MetricFamily: Sendable {
    var name: String
    var kind: MetricKind
    var series: [[MetricLabel]: any MetricSeries] = [:]

    var samples: [MetricSample] {
        series.map { MetricSample(name: name, kind: kind, labels: $0.key, value: $0.value.value) }
    }
}
