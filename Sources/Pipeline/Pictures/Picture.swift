package import Catalog
package import FoundationEssentials
package import Imaging
package import Store

/// A thumbnail as it is served, or the failure in whose place the placeholder stands.
package struct Picture: Sendable {
    package var digest: Digest
    package var bytes: [UInt8]
    package var format: ThumbnailFormat
    package var width: Int
    package var height: Int
    package var renderedAt: Date
    package var freshUntil: Date
    /// Why the placeholder is shown, or why a stale picture could not be refreshed.
    package var failure: Failure?
    package var isPlaceholder: Bool

    /// Whether a refresh should run at `now`: past its freshness, and no failed try is remembered.
    func wantsRefresh(at now: Date) -> Bool {
        freshUntil <= now && (failure.map { $0.until <= now } ?? true)
    }
}
