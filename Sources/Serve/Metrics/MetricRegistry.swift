package import CoreMetrics
import Synchronization

/// Holds all metrics behind the API of swift-metrics, for export in Prometheus' text format.
///
/// Each label with its dimensions has one value, shared by all callers. Thread-safe: creating a
/// metric takes a lock, and updating it does not, except for gauges and histograms.
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

    // A series lives as long as the process, so that counts are never lost.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// All current values, in no particular order.
    var snapshot: [MetricSample] {
        families.withLock { $0 }.values.flatMap(\.samples)
    }

    private func series<Series: MetricSeries>(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricSample.Kind,
        as type: Series.Type, _ make: () -> Series
    ) -> Series {
        let labels = dimensions.map { MetricSample.Label(name: $0, value: $1) }.sorted()
        return families.withLock { families in
            var family = families[label] ?? MetricFamily(name: label, kind: kind)
            if let known = family.series[labels] as? Series { return known }
            let made = make()
            // Reusing a name for another kind is a programming error. The first kind stays
            // registered.
            guard family.kind == kind else { return made }
            family.series[labels] = made
            families[label] = family
            return made
        }
    }
}

/// All series with one name.
private struct MetricFamily: Sendable {
    var name: String
    var kind: MetricSample.Kind
    var series: [[MetricSample.Label]: any MetricSeries] = [:]

    var samples: [MetricSample] {
        series.map { MetricSample(name: name, kind: kind, labels: $0.key, value: $0.value.value) }
    }
}

private final class CounterSeries: CounterHandler, MetricSeries {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
    func reset() { count.store(0, ordering: .relaxed) }

    var value: MetricSample.Value { .number(Double(count.load(ordering: .relaxed))) }
}

private final class GaugeSeries: MeterHandler, RecorderHandler, MetricSeries {
    private let now = Mutex(0.0)

    func set(_ value: Int64) { now.withLock { $0 = Double(value) } }
    func set(_ value: Double) { now.withLock { $0 = value } }
    func increment(by amount: Double) { now.withLock { $0 += amount } }
    func decrement(by amount: Double) { now.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    var value: MetricSample.Value { .number(now.withLock { $0 }) }
}
