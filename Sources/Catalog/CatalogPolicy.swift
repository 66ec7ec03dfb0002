package import FoundationEssentials

/// How long catalog answers live and where they are kept. Pure.
package struct CatalogPolicy: Sendable, Equatable {
    /// Renewed by as much when a fresh page is read again.
    package var timeToLive: TimeInterval = 15 * 60
    /// Items with a lower index within their list are kept on disk, others only in memory.
    package var itemsOnDisk = 1_000
    /// However often it is read, a page is asked for anew after this; TVMaze's own index may be a day
    /// old already.
    package var maximumAge: TimeInterval = 86_400

    /// Seconds a client waits for a new page while an old one is stored: more than the pace of any
    /// source, less than people's patience. The call goes on without it.
    package var patience: TimeInterval = 5

    package init() {}

    package func isFresh(expiresAt: Date, now: Date) -> Bool {
        now < expiresAt
    }

    /// The new end of life of a page that was read at `now`, or `nil` where it had ended before.
    package func renewed(fetchedAt: Date, expiresAt: Date, now: Date) -> Date? {
        guard isFresh(expiresAt: expiresAt, now: now) else { return nil }
        let end = min(
            now.addingTimeInterval(timeToLive), fetchedAt.addingTimeInterval(maximumAge))
        return max(end, expiresAt)
    }

    /// How many of a page's items belong on disk.
    package func persistedCount(firstIndex: Int, count: Int) -> Int {
        min(max(itemsOnDisk - Bounds.count.clamp(firstIndex), 0), count)
    }
}
