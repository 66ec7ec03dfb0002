package import FoundationEssentials

/// How long catalogue answers live and where they are kept. Pure.
package struct CatalogPolicy: Sendable, Equatable {
    /// Renewed by as much when a fresh page is read again.
    package var timeToLive: TimeInterval = 15 * 60
    /// Items with a lower index within their list are kept on disk, others only in memory.
    package var itemsOnDisk = 1_000

    package init() {}

    package func isFresh(expiresAt: Date, now: Date) -> Bool {
        now < expiresAt
    }

    /// The new end of life of a page that was read at `now`, or `nil` where it had ended before.
    package func renewed(expiresAt: Date, now: Date) -> Date? {
        isFresh(expiresAt: expiresAt, now: now) ? now.addingTimeInterval(timeToLive) : nil
    }

    /// How many of a page's items belong on disk.
    package func persistedCount(firstIndex: Int, count: Int) -> Int {
        min(max(itemsOnDisk - firstIndex, 0), count)
    }
}
