/// What the cache takes on disk, and what upkeep has done since the start. Never waits for the disk
/// for more than a few system calls.
package struct UpkeepStatus: Sendable, Equatable {
    /// Everything below the cache directory.
    package var usage = DiskUsage()
    /// The limits in force now. A full file system makes them smaller.
    package var limits = DiskUsage()
    /// What blobs may take before others are evicted; the largest number if that is not known.
    package var free = DiskUsage(bytes: .max, files: .max)
    /// Free on the file system.
    package var freeBytes = 0
    /// Whether all of the cache was counted. Otherwise `usage` is an estimate.
    package var isCounted = true
    package var quarantined = DiskUsage()
    /// Bytes of thumbnails that are not evicted, and the items that they belong to.
    package var pinnedBytes = 0
    package var pinnedItems = 0
    /// Pins and favorites that are evicted nevertheless, because others take their part.
    package var unprotectedItems = 0
    package var evicted = EvictionStatus()
    package var scrub = ScrubStatus()

    package init() {}
}
