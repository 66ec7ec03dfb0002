package import Catalog
package import Store

/// Tells the other nodes of a fleet what to purge.
package protocol PurgeBroadcast: Sendable {
    /// Returns the purge's number, and which nodes have followed it. Waits a few seconds for them.
    func tell(
        _ scope: PurgeScope, soft: Bool
    ) async throws(Failure) -> (sequence: UInt64, nodes: [PurgeReceipt.Node])

    /// Does the same for blocks that were written here, or lifted. Nodes that join later learn of them, too.
    func tell(
        _ blocks: [BlockRecord]
    ) async throws(Failure) -> (sequence: UInt64, nodes: [PurgeReceipt.Node])
}
