package import CoreMetrics

/// What one worker does.
package struct WorkerMetrics: Sendable {
    private let factory: any MetricsFactory

    package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.factory = factory
    }

    enum JobResult: String {
        case done, retried, buried
        /// Taken, and given back without an attempt of its own.
        case returned
    }

    func show(busy: Int, places: Int) {
        Meter(label: "vitrine_worker_busy", factory: factory).set(busy)
        Meter(label: "vitrine_worker_places", factory: factory).set(places)
    }

    func count(_ result: JobResult) {
        Counter(
            label: "vitrine_worker_jobs_total", dimensions: [("result", result.rawValue)],
            factory: factory
        ).increment()
    }

    func count(done: Int, failed: Int) {
        for (result, items) in [("done", done), ("failed", failed)] {
            Counter(
                label: "vitrine_worker_items_total", dimensions: [("result", result)],
                factory: factory
            ).increment(by: items)
        }
    }
}
