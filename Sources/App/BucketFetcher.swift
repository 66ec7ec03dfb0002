import Catalog
import Fetch
import Pipeline
import Synchronization

/// Asks buckets. Its thread starts with the first request. Any thread.
final class BucketFetcher: Fetching {
    private let configuration: FetchConfiguration
    /// Nil before the first request.
    private let fetcher: Mutex<Fetcher?> = Mutex(nil)

    /// Objects of a bucket that are fetched at the same time.
    static let mostTransfers = 64

    init(_ settings: Settings) {
        var fetching = FetchConfiguration()
        // Only the operator names endpoints.
        fetching.reach = .endpoints
        fetching.userAgent = settings.fetch.userAgent
        fetching.caFile = settings.fetch.caFile
        fetching.connectTo = settings.fetch.connectTo
        fetching.connectTimeout = settings.fetch.connectTimeout
        fetching.totalTimeout = settings.fetch.totalTimeout
        fetching.retry = settings.fetch.retry
        fetching.hosts = settings.fetch.hosts
        fetching.ceiling = settings.fetch.ceiling
        fetching.maxTransfers = Self.mostTransfers
        fetching.defaultHost = settings.fetch.defaultHost
        configuration = fetching
    }

    func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        let fetcher = try fetcher.withLock { fetcher throws(FetchError) in
            if let fetcher { return fetcher }
            let started = try Fetcher(configuration)
            fetcher = started
            return started
        }
        return try await fetcher.fetch(request)
    }

    func shutdown() async {
        let fetcher = fetcher.withLock { $0 }
        await fetcher?.shutdown()
    }
}

/// With what sources ask buckets.
struct BucketAccess: Sendable {
    let fetcher: BucketFetcher
    let metrics: PipelineMetrics
    let environment: [String: String]
}
