package import Catalog
package import FoundationEssentials
package import Imaging
package import Store

/// A thumbnail as it is served, or the placeholder with the failure that it replaces.
package struct Picture: Sendable {
    package var facts: PictureFacts
    /// Empty for a placeholder that can't be rendered.
    package var bytes: [UInt8]
    package var format: ThumbnailFormat
    package var freshUntil: Date
    /// Whether only private caches may keep it. It never comes into memory.
    package var isPrivate = false
    /// Why the placeholder is shown, or why a stale picture could not be refreshed.
    package var failure: Failure?
    package var isPlaceholder: Bool

    /// All that is known of it.
    var withoutBytes: Picture {
        var picture = self
        picture.bytes = []
        return picture
    }

    /// Returns whether a refresh should run at `now`: it has expired, and no failed refresh is
    /// remembered.
    func wantsRefresh(at now: Date) -> Bool {
        freshUntil <= now && (failure.map { $0.until <= now } ?? true)
    }
}

extension Picture {
    /// A stored thumbnail.
    ///
    /// - Parameter known: what is believed of its item.
    init(
        _ thumbnail: ThumbnailRecord, _ format: ThumbnailFormat, _ known: BelievedResolution,
        _ bytes: [UInt8] = []
    ) {
        self.init(
            facts: thumbnail.facts, bytes: bytes, format: format, freshUntil: known.freshUntil,
            isPrivate: known.isPrivate, failure: known.failure, isPlaceholder: false)
    }
}

/// The key of a hit.
struct PictureKey: Hashable, Sendable {
    var item: Item
    var rendition: Rendition
}
