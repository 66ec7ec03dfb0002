package import Catalog
package import Imaging

/// Every bound and setting of the pipeline, with its default and its reason.
package struct PipelineConfiguration: Sendable {
    /// The only sizes there are, smallest first.
    package var levels = Level.defaults
    package var freshness = FreshnessPolicy()
    package var catalog = CatalogPolicy()
    /// Catalog pages kept in memory; a TVMaze page takes about 0.5 MB.
    package var pagesInMemory = 200
    /// Item details kept in memory, about 2 KB each.
    package var detailsInMemory = 20_000
    /// Bytes of thumbnails kept in memory for hits.
    package var hitBytes = 96 << 20
    /// Bytes of an original; the fetcher stops at one more.
    package var maxOriginalBytes = 256 << 20
    /// Bytes of originals in flight: being received, waiting for a render, being rendered.
    package var originalBytes = 320 << 20
    /// Keys of the signed URLs; without one they are refused.
    package var urlSignature = URLSignature(keys: "")
    /// Steps of one chain, other items' included: no source comes near, a loop would.
    package var maxChainSteps = 32

    /// What requests may have under way and waiting.
    package var load = LoadPolicy()
    package var favorites = FavoritePolicy()

    package init() {}
}

/// What favorites may cost.
package struct FavoritePolicy: Sendable, Equatable {
    /// Favorites at once: more than people keep, and as many as a page can show.
    package var max = 1_000
    /// Details of favorites that are looked up a minute, so that a list of made-up ones can't use up
    /// what a source allows.
    package var lookupsPerMinute = 30

    package init() {}
}

/// How much requests may have under way and waiting; hits in memory and on disk don't count.
package struct LoadPolicy: Sendable, Equatable {
    /// Misses processed at the same time: as many as the fetcher's transfers. One that waits for its
    /// host doesn't count.
    package var misses = 64
    /// Misses that wait for their host or for that: some seconds of work, more than any client
    /// waits for. When it is full, the source and client with most of them waiting lose the newest.
    package var waitingMisses = 256
    /// Requests that wait for pictures under way; a thousand may want one and the same.
    package var waitingRequests = 10_000
    /// Catalog pages and details that are asked for at once.
    package var lookups = 64
    /// Those that wait for that.
    package var waitingLookups = 256

    package init() {}
}
