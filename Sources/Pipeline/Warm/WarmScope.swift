package import Catalog
package import FoundationEssentials

/// The items of a warm run.
package enum WarmScope: Sendable {
    /// Returns the next items of a list, such as those of the next lines of a file; nil after the last.
    package typealias Reader = @Sendable () async throws -> [Item]?

    case items([Item])
    /// Each query is one page. `following` continues with the next pages up to the limit. Only items that
    /// match the filter count.
    case pages([ListQuery], following: Bool, CatalogFilter? = nil)
    /// Opens a list. Opened again it has the same items, unless it can be read once only.
    case stream(@Sendable () async throws -> Reader)
}

/// A page that was read from the store because its source could not be read.
package struct StalePage: Sendable, Equatable, Codable {
    /// As in the URL of the page: `tvmaze/shows?page=0`.
    package var page: String
    package var fetchedAt: Date
}
