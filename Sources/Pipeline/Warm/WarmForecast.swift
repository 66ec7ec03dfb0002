import Store

/// The work that a warm run would do. Its JSON has the names of ``WarmSummary``, and those of what is
/// stored.
package struct WarmForecast: Sendable, Equatable, Codable {
    /// From what bytes and seconds are estimated.
    package enum Basis: String, Sendable, Codable {
        /// What the origins showed in earlier runs.
        case earlierRuns
        /// The mean size of the stored originals. The time is not known.
        case storedOriginals
        /// Nothing: both are 0.
        case nothing
    }

    package var items = 0
    /// Items with a thumbnail that is not stored.
    package var missing = 0
    /// Items whose thumbnails are stored, and expired.
    package var stale = 0
    package var fresh = 0
    /// Items for which the origin is asked. Each may need an original.
    package var originals = 0
    package var requests = 0
    package var bytesFetched = 0
    /// What the missing thumbnails and their originals take on disk, by what is stored; nil if too little is
    /// stored to tell.
    package var bytesStored: Int?
    package var filesStored: Int?
    /// What is free of `cache.budget` and `cache.maxFiles`.
    package var freeBytes = 0
    package var freeFiles = 0
    /// Thumbnails that are not stored.
    package var thumbnails = 0
    package var reused = 0
    /// Items with a remembered failure.
    package var placeholders = 0
    package var fallbacks = 0
    package var failed = 0
    package var seconds = 0.0
    package var basis = Basis.nothing
    package var dryRun = true
    /// Pages of the list that were read from the store because their source could not be read.
    package var stalePages: [StalePage] = []

    package init() {}

    /// - Parameter onlyMissing: whether the run leaves expired pictures alone.
    mutating func add(_ need: WarmNeed, onlyMissing: Bool) {
        items += 1
        switch need.state {
        case .missing: missing += 1
        case .stale: stale += 1
        case .fresh: fresh += 1
        }
        thumbnails += need.thumbnails
        reused += need.reused
        placeholders += need.isPlaceholder ? 1 : 0
        fallbacks += need.fallback == nil ? 0 : 1
        if need.asksOrigin, !onlyMissing || need.state == .missing { originals += 1 }
    }

    /// Tells what the result takes beside what is free.
    mutating func weigh(_ sizes: WarmSizes?, _ free: DiskUsage) {
        (freeBytes, freeFiles) = (free.bytes, free.files)
        let usage = sizes?.usage(originals: originals, thumbnails: thumbnails)
        (bytesStored, filesStored) = (usage?.bytes, usage?.files)
    }
}
