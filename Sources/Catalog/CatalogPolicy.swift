package import FoundationEssentials

/// How long catalog documents are fresh, and where they are stored. Pure.
package struct CatalogPolicy: Sendable, Equatable {
    /// Seconds. Reading a fresh page renews its freshness for this long.
    package var timeToLive: TimeInterval = 15 * 60
    /// Items with a lower index within their list are stored on disk, others only in memory.
    package var itemsOnDisk = 1_000
    /// Seconds after which a page is fetched again, however often it is read. TVmaze's own index
    /// may be a day old already.
    package var maximumAge: TimeInterval = 86_400

    /// Seconds that a client waits for a new page while an old one is stored. This is longer than
    /// any source usually takes. After it the client gets the old page, and the call continues.
    package var patience: TimeInterval = 5

    package init() {}

    package func isFresh(expiresAt: Date, now: Date) -> Bool {
        now < expiresAt
    }

    /// Returns the new expiry of a page that is read at `now`; `nil` if the page has expired.
    package func renewed(fetchedAt: Date, expiresAt: Date, now: Date) -> Date? {
        guard isFresh(expiresAt: expiresAt, now: now) else { return nil }
        let end = min(
            now.addingTimeInterval(timeToLive), fetchedAt.addingTimeInterval(maximumAge))
        return max(end, expiresAt)
    }

    /// Returns how many of a page's items belong on disk.
    package func persistedCount(firstIndex: Int, count: Int) -> Int {
        min(max(itemsOnDisk - Bounds.count.clamp(firstIndex), 0), count)
    }
}
