import Metrics
import WorkQueue

/// What a node knows of its fleet, as gauges.
struct FleetMetrics {
    /// Whether the queue answered when this node last looked.
    var isReached = false
    /// Of the last answer; nil without any.
    var backlog: Backlog?
    var nodes: [NodeReport] = []
    /// Nil before the node has joined.
    var purges: (number: UInt64, lag: Int, skipped: Int)?
    /// Of a worker in this process.
    var worker: (busy: Int, places: Int)?

    func write(to text: inout MetricText) {
        if let backlog { write(backlog, to: &text) }
        text.gauge(
            "vitrine_queue_reached", "1 if the queue answered at the last look.",
            isReached ? 1 : 0)
        if let purges {
            text.gauge(
                "vitrine_purge_number", "The last purge of the fleet that this node has followed.",
                Double(purges.number))
            text.gauge(
                "vitrine_purge_lag",
                "Purges of the fleet that this node knows of and has not followed.", purges.lag)
            text.gauge(
                "vitrine_purges_skipped",
                "Purges of the fleet that this process could not read and has skipped.",
                purges.skipped)
        }
        if let worker {
            text.gauge(
                "vitrine_worker_busy", "Items that this worker has under way.", worker.busy)
            text.gauge(
                "vitrine_worker_places", "Items that this worker may have under way.",
                worker.places)
        }
    }

    private func write(_ backlog: Backlog, to text: inout MetricText) {
        text.gauges(
            "vitrine_queue_jobs",
            "Jobs of up to 16 items, by lane: waiting, or leased to workers and waiting for another attempt.",
            by: ["lane", "state"], Self.jobs(of: backlog))
        text.gauge(
            "vitrine_queue_oldest_seconds", "Age of the oldest job.", backlog.oldest ?? 0)
        text.gauge(
            "vitrine_queue_redelivered", "Jobs in the queue that were delivered more than once.",
            backlog.redelivered)
        text.gauge(
            "vitrine_queue_dead", "Jobs that were given up, of the last week.", backlog.dead)
        let workers = nodes.filter { $0.role == .worker }
        text.gauges(
            "vitrine_fleet_nodes", "Nodes that are up, by role.", by: ["role"],
            [
                [NodeReport.Role.worker.rawValue]: workers.count,
                [NodeReport.Role.serve.rawValue]: nodes.count { $0.role == .serve },
            ])
        text.gauge(
            "vitrine_fleet_places", "Items that all workers may have under way.",
            workers.reduce(0) { $0 + $1.places })
        text.gauge(
            "vitrine_fleet_busy", "Items that all workers have under way.",
            workers.reduce(0) { $0 + $1.busy })
    }

    private static func jobs(of backlog: Backlog) -> [[String]: Int] {
        QueueJob.Lane.allCases.reduce(into: [:]) { jobs, lane in
            let parts = backlog.parts.filter { $0.lane == lane }
            jobs[[lane.rawValue, "waiting"]] = parts.reduce(0) { $0 + $1.waiting }
            jobs[[lane.rawValue, "leased"]] = parts.reduce(0) { $0 + $1.leased }
        }
    }
}
