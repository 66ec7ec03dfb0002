package import Catalog

/// An item's details as they are answered.
package struct DetailsAnswer: Sendable {
    package var details: ItemDetails
    package var outcome: CacheOutcome

    package var isStale: Bool { outcome == .stale }
}
