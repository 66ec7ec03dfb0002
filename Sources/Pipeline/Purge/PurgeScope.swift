package import Catalog
package import Store

/// What to remove.
package enum PurgeScope: Sendable, Equatable {
    case item(Item)
    /// All items of a source, with its pages and API responses.
    case source(String)
    case all
}

/// The result of a purge. The JSON response has these names.
package struct PurgeReceipt: Sendable, Equatable, Codable {
    /// Whether the data only expired.
    package var soft: Bool
    /// Affected items, including those that showed a removed picture.
    package var items = 0
    package var originals = 0
    package var thumbnails = 0
    /// Catalog documents.
    package var documents = 0
    /// Blobs removed from the disk.
    package var blobs = 0
    /// Their bytes.
    package var bytes = 0
    /// The number of the purge in the log of the fleet; nil for a single machine.
    package var sequence: UInt64?
    /// The nodes that are up, and whether each has done the same; nil for a single machine. Nodes
    /// that are down do it before they serve again.
    package var nodes: [Node]?

    /// Adds what another purge has removed.
    mutating func add(_ other: PurgeReceipt) {
        items += other.items
        originals += other.originals
        thumbnails += other.thumbnails
        documents += other.documents
        blobs += other.blobs
        bytes += other.bytes
    }

    package struct Node: Sendable, Equatable, Codable {
        package var name: String
        /// `serve` or `worker`.
        package var role: String
        package var passed: Bool

        package init(name: String, role: String, passed: Bool) {
            self.name = name
            self.role = role
            self.passed = passed
        }
    }
}

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
