import Store

/// A run whose result doesn't fit into what is free of the cache's limits. The JSON has these names.
package struct WarmShortage: Sendable, Equatable, Codable {
    /// Items that are not stored, of those that are known.
    package var items: Int
    /// What they take on disk, estimated.
    package var bytes: Int
    package var files: Int
    /// By what it is estimated.
    package var basis: Basis
    /// What is free of `cache.budget` and `cache.maxFiles`.
    package var freeBytes: Int
    package var freeFiles: Int
    /// Whether all of it fits if older pictures are evicted. Otherwise the cache would evict some of the
    /// run's own.
    package var replacesOlder: Bool

    package enum Basis: String, Sendable, Codable {
        /// The pictures that the cache holds. The run has not begun.
        case stored
        /// The first pictures of the run.
        case firstPictures
    }
}
