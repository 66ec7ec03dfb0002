package import Catalog
package import Imaging

/// The settings and limits of the pipeline.
package struct PipelineConfiguration: Sendable {
    /// The levels that clients can request, smallest first.
    package var levels = Level.defaults
    package var freshness = FreshnessPolicy()
    package var catalog = CatalogPolicy()
    /// Memory for catalog pages, details of items and responses of APIs.
    package var catalogBytes = 32 << 20
    /// Bytes of thumbnails kept in memory for hits.
    package var hitBytes = 96 << 20
    /// Whether requests are answered. A process that only stores pictures keeps none in memory.
    package var answersHits = true
    /// Limit of an original's bytes. The fetcher aborts a larger one.
    package var maxOriginalBytes = 256 << 20
    /// Bytes of originals in flight: being received, waiting for a render, being rendered. Answers of APIs, and the
    /// documents in them, count as well until they are read.
    package var originalBytes = 320 << 20
    /// Keys of signed URLs. Without a key they are rejected.
    package var urlSignature = URLSignature(keys: "")
    /// Limit of the steps of one chain, including those of linked items. It stops loops; real
    /// chains are much shorter.
    package var maxChainSteps = 32

    /// Limits of concurrent and waiting work.
    package var load = LoadPolicy()
    package var favorites = FavoritePolicy()
    package var warm = WarmPolicy()
    package var shared = SharedPolicy()
    package var zoom = ZoomPolicy()
    /// Header fields that name items and sources for caches in front. Without such a cache they are
    /// about 100 bytes a response for nothing.
    package var tagFields: [CacheTag.Field] = []

    package init() {}
}

/// How a shared store is used.
package struct SharedPolicy: Sendable, Equatable {
    /// How long a miss waits for it before it does without. Fetching and rendering take about as long.
    package var patience: Duration = .seconds(1)
    /// How long a purge waits for an upload of its item. One that takes longer finds the purge itself.
    package var purgePatience: Duration = .seconds(5)
    /// Items that are uploaded at the same time in the background: few, so that misses find a transfer free.
    package var uploads = 4
    /// Items that wait for their upload, about 150 bytes each on disk. `vitrine reconcile` finds further ones.
    package var maxWaiting = 100_000

    package init() {}
}

/// Limits of parts of pictures in sizes that clients choose.
package struct ZoomPolicy: Sendable, Equatable {
    /// Pixels of one response. A quarter of a second of work, and 110 MB with the tiles.
    package var maxPixels = 12_000_000
    /// How many times larger than its original a part may become; 1 is never larger.
    package var maxUpscale = 1
    /// Pixels per minute and item that may be resampled, read and made together. A part of 512×512 from
    /// a picture twice as large costs 1.3 million.
    package var pixelsPerMinute = 600_000_000
    /// Parts that wait for a render: several seconds of work, as for ``LoadPolicy/waitingMisses``.
    package var waiting = 256

    package init() {}
}

/// Limits of favorites.
package struct FavoritePolicy: Sendable, Equatable {
    /// Number of favorites. A page can show this many.
    package var max = 1_000
    /// Lookups of favorites' details per minute, so that a list of invented items can't exhaust a
    /// source's rate limit.
    package var lookupsPerMinute = 30
    /// How long a new favorite waits for its source to say whether it has the item.
    package var patience = Duration.seconds(2)

    package init() {}
}

/// Limits of concurrent and waiting work. Hits in memory and on disk don't count.
package struct LoadPolicy: Sendable, Equatable {
    /// Misses processed at the same time, as many as the fetcher's transfers. A miss that waits for
    /// its host doesn't count.
    package var misses = 64
    /// Misses that wait for their host or for a place: several seconds of work. When the queue is
    /// full, the source and client with most waiting misses lose the newest.
    package var waitingMisses = 256
    /// Requests that wait for misses: as many as a server has connections by default. Many may wait for the
    /// same miss.
    package var waitingRequests = 10_000
    /// Catalog pages and details looked up at the same time, as many as the fetcher's transfers.
    package var lookups = 64
    /// Lookups that wait for a place: several seconds of work, as for ``waitingMisses``.
    package var waitingLookups = 256

    package init() {}
}

/// What warm runs make unless they are told otherwise, and which lists a service keeps warm.
package struct WarmPolicy: Sendable, Equatable {
    package var formats = ThumbnailFormat.standard
    /// Names of levels; empty for all.
    package var levels: [String] = []
    package var jobs: [WarmSchedule.Job] = []

    /// The thumbnails of an item by default.
    ///
    /// - Parameter formats: in place of the usual ones; empty for those.
    package func renditions(
        of configured: [Level], in formats: [ThumbnailFormat] = []
    ) -> Set<Rendition> {
        let chosen = levels.isEmpty ? configured : configured.filter { levels.contains($0.name) }
        let formats = formats.isEmpty ? self.formats : formats
        return Set(chosen.flatMap { level in formats.map { Rendition(level: level, format: $0) } })
    }
}
