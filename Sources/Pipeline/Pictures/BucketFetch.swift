package import Fetch

/// Asks the bucket of a folder, and counts its requests and bytes.
package struct BucketFetch: Fetching {
    private let fetch: any Fetching
    private let folder: String
    private let metrics: PipelineMetrics

    package init(_ fetch: any Fetching, of folder: String, _ metrics: PipelineMetrics) {
        self.fetch = fetch
        self.folder = folder
        self.metrics = metrics
    }

    package func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        try await metrics.counting(request, by: fetch, ofBucket: folder)
    }
}
