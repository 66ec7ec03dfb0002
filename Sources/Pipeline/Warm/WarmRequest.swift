package import Imaging

/// What to warm, and how fast.
package struct WarmRequest: Sendable {
    package var scope: WarmScope
    /// Limit of items; nil for no limit.
    package var limit: Int?
    /// The thumbnails of each item.
    package var renditions: Set<Rendition>
    /// Items in flight at once: enough to keep origin and renderer busy at the same time.
    package var concurrency: Int

    package init(
        _ scope: WarmScope, limit: Int? = nil, renditions: Set<Rendition>, concurrency: Int
    ) {
        self.scope = scope
        self.limit = limit
        self.renditions = renditions
        self.concurrency = concurrency
    }
}

/// The state of a warm run after one more item.
package struct WarmProgress: Sendable {
    package var item: WarmedItem
    package var summary: WarmSummary
    /// Items of the whole run, once all pages are read.
    package var total: Int?
}

/// The work that a warm run would do.
package struct WarmForecast: Sendable, Encodable {
    package var items = 0
    /// Items with a missing or stale picture.
    package var cold = 0
    /// Thumbnails that are missing.
    package var thumbnails = 0
    /// Bytes to fetch, estimated from the stored originals; nil without stored originals.
    package var bytes: Int?
}
