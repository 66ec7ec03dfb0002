import Catalog
package import FoundationEssentials

/// A page that was read from the store because its source could not be read.
package struct StalePage: Sendable, Equatable, Codable {
    /// As in the URL of the page: `tvmaze/shows?page=0`.
    package var page: String
    package var fetchedAt: Date
}
