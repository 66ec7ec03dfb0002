package import Catalog

/// An item's details, and how they were obtained.
package struct DetailsAnswer: Sendable {
    package var details: ItemDetails
    package var outcome: CacheOutcome

    package var isStale: Bool { outcome == .stale }
}
