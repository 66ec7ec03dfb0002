import CoreMetrics
import WorkQueue

/// The queue and the nodes as gauges.
struct FleetMetrics: Sendable {
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    func show(_ backlog: Backlog, _ nodes: [NodeReport]) {
        set("vitrine_queue_reached", 1)
        for lane in QueueJob.Lane.allCases {
            let parts = backlog.parts.filter { $0.lane == lane }
            for (state, count) in [
                ("waiting", parts.reduce(0) { $0 + $1.waiting }),
                ("leased", parts.reduce(0) { $0 + $1.leased }),
            ] {
                set(
                    "vitrine_queue_jobs", Double(count),
                    [("lane", lane.rawValue), ("state", state)])
            }
        }
        set("vitrine_queue_oldest_seconds", backlog.oldest ?? 0)
        set("vitrine_queue_redelivered", Double(backlog.redelivered))
        set("vitrine_queue_dead", Double(backlog.dead))
        for role in [NodeReport.Role.serve, .worker] {
            set(
                "vitrine_fleet_nodes", Double(nodes.count { $0.role == role }),
                [("role", role.rawValue)])
        }
        let workers = nodes.filter { $0.role == .worker }
        set("vitrine_fleet_places", Double(workers.reduce(0) { $0 + $1.places }))
        set("vitrine_fleet_busy", Double(workers.reduce(0) { $0 + $1.busy }))
    }

    func showUnreachable() { set("vitrine_queue_reached", 0) }

    func showPurges(_ number: UInt64, lag: Int, skipped: Int) {
        set("vitrine_purge_number", Double(number))
        set("vitrine_purge_lag", Double(lag))
        set("vitrine_purges_skipped", Double(skipped))
    }

    private func set(_ label: String, _ value: Double, _ dimensions: [(String, String)] = []) {
        Meter(label: label, dimensions: dimensions, factory: factory).set(value)
    }
}
