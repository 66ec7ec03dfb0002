package import Catalog

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
}
