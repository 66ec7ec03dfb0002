package import Catalog

/// What to remove.
package enum PurgeScope: Sendable, Equatable {
    case item(Item)
    /// All items of a source, with its pages and API responses.
    case source(String)
    case all
}
