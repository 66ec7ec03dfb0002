package import Catalog
package import FoundationEssentials
package import Hashing
package import Imaging
package import Store

/// The tiles of a contact sheet and their positions.
package struct SheetPlan: Sendable {
    package struct Tile: Sendable, Equatable {
        package var item: Item
        package var frame: SheetLayout.Frame
        package var isPlaceholder: Bool
        /// The thumbnail's digest.
        package var digest: Digest
        /// Why the placeholder is shown.
        var failure: Failure?
    }

    package var layout: SheetLayout
    package var tiles: [Tile]
    /// The earliest expiry of a tile.
    package var freshUntil: Date
    /// Whether only private caches may keep one of the pictures.
    package var isPrivate = false
    /// Whether a tile has expired.
    package var isStale: Bool
    /// Whether a tile was rendered for it.
    package var wasMade: Bool
}

/// A contact sheet, and how it was obtained.
package struct SheetAnswer: Sendable {
    package var plan: SheetPlan
    package var blob: OpenBlob
    package var renderedAt: Date
    package var outcome: CacheOutcome
}

/// The key of a sheet. Equal requests in flight are coalesced.
struct SheetRequest: Hashable, Sendable {
    var items: [Item]
    var rendition: Rendition
}
