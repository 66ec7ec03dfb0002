package import Catalog
package import FoundationEssentials

/// A page of a list, and how it was obtained.
package struct PageAnswer: Sendable {
    package var query: ListQuery
    package var items: [ItemDetails]
    package var next: ListQuery?
    package var total: Int?
    /// Directories in the one that is listed; nil for lists of other things.
    package var directories: [String]?
    package var isPastEnd: Bool
    package var outcome: CacheOutcome
    package var fetchedAt: Date
    package var expiresAt: Date

    package var isStale: Bool { outcome == .stale }
}

/// An item's details, and how they were obtained.
package struct DetailsAnswer: Sendable {
    package var details: ItemDetails
    package var outcome: CacheOutcome
    package var expiresAt: Date

    package var isStale: Bool { outcome == .stale }

    init(_ answer: DocumentCache<Item, ItemDetails>.Answer) {
        details = answer.document.value
        outcome = answer.outcome
        expiresAt = answer.document.expiresAt
    }
}
