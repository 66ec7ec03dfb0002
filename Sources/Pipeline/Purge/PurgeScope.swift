package import Catalog

/// What the operator wants forgotten.
package enum PurgeScope: Sendable, Equatable {
    case item(Item)
    /// All items of a source, with its pages and what its API told.
    case source(String)
    case all
}

/// What a purge did; the JSON answer has these names.
package struct PurgeReceipt: Sendable, Equatable, Codable {
    /// Whether what is stored was kept, out of date.
    package var soft: Bool
    /// Items concerned; those that were shown a picture that went are among them.
    package var items = 0
    package var originals = 0
    package var thumbnails = 0
    /// Catalog documents.
    package var documents = 0
    /// Blobs removed from the disk.
    package var blobs = 0
}
