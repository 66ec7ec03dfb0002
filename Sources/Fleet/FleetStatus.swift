package import FoundationEssentials
import Store
package import WorkQueue

/// The nodes of a fleet and its queue at one moment. The JSON of `vitrine cluster status` has these
/// names.
package struct FleetStatus: Sendable, Equatable, Codable {
    package var queue: String
    package var nodes: [NodeReport]
    package var backlog: Backlog
    /// The newest jobs that were given up.
    package var dead: [Dead]
    /// Purges so far.
    package var purges: UInt64
    /// What is blocked on all nodes.
    package var blocks = 0

    package struct Dead: Sendable, Equatable, Codable {
        package var at: Date
        package var origin: String
        package var deliveries: Int
        package var reason: String
        package var items: [String]
    }

    /// Jobs that were given up and are shown.
    private static let maxDead = 10

    package static func now(_ hub: Hub) async throws(QueueError) -> FleetStatus {
        FleetStatus(
            queue: "\(hub.address)", nodes: try await NodeReport.all(hub),
            backlog: try await hub.queue.backlog(),
            dead: try await hub.queue.dead(limit: maxDead).map { dead in
                Dead(
                    at: Date(timeIntervalSince1970: dead.at), origin: dead.origin,
                    deliveries: dead.deliveries, reason: dead.reason,
                    items: WarmJob(json: dead.body)?.items ?? [])
            },
            purges: try await hub.purges.extent().last,
            blocks: try await FleetBlocks(hub).all().count { !$0.isLifted })
    }

    /// Whether a node shows what the others have blocked, because its version knows no blocks.
    package func ignoresBlocks(_ node: NodeReport) -> Bool {
        blocks > 0 && node.purge != nil && node.knowsBlocks == nil
    }

    /// Purges that a node has not followed; nil for one that stores nothing.
    package func lag(of node: NodeReport) -> UInt64? {
        node.purge.map { purges > $0 ? purges - $0 : 0 }
    }
}
