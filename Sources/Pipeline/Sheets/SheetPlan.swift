package import Catalog
package import FoundationEssentials
package import Imaging
package import Store

/// What a contact sheet shows, and where.
package struct SheetPlan: Sendable {
    package struct Tile: Sendable, Equatable {
        package var item: Item
        package var frame: SheetLayout.Frame
        package var isPlaceholder: Bool
        /// Of the thumbnail.
        package var digest: Digest
        /// Why the placeholder is shown.
        var failure: Failure?
    }

    package var layout: SheetLayout
    package var tiles: [Tile]
    /// When the least fresh of them ends to be.
    package var freshUntil: Date
    /// Whether one of them is past its freshness.
    package var isStale: Bool
    /// Whether one of them was made for it.
    package var wasMade: Bool
}

/// A contact sheet as it is served.
package struct SheetAnswer: Sendable {
    package var plan: SheetPlan
    package var digest: Digest
    package var bytes: [UInt8]
    package var renderedAt: Date
    package var outcome: CacheOutcome
}

/// Which sheet: equal orders under way are joined.
struct SheetRequest: Hashable, Sendable {
    var items: [Item]
    var rendition: Rendition
}
