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
