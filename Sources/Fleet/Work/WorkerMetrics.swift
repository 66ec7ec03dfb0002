package import Metrics
import Threads

/// Counts what one worker does.
package struct WorkerMetrics: Sendable {
    private let items, jobs: Labeled<Counter>

    /// - Parameter registry: has no other metrics of a worker.
    package init(_ registry: MetricRegistry = MetricRegistry()) {
        items = registry.counters(
            "vitrine_worker_items_total", "Items of this worker, by result: done, failed.",
            by: "result")
        jobs = registry.counters(
            "vitrine_worker_jobs_total",
            "Jobs of this worker, by result: done, retried, buried (given up), returned.",
            by: "result")
    }

    enum JobResult: String {
        case done, retried, buried
        /// Taken, and given back without an attempt of its own.
        case returned
    }

    func count(_ result: JobResult) { jobs[result.rawValue].add() }

    func count(done: Int, failed: Int) {
        items["done"].add(done)
        items["failed"].add(failed)
    }
}
