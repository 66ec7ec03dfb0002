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
    /// Catalogue pages and details that are asked for at once.
    package var lookups = 64
    /// Those that wait for that.
    package var waitingLookups = 256

    package init() {}
}
