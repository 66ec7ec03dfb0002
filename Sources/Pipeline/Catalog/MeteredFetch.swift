package import Fetch

/// Fetches with another and counts. Cancelled requests count as nothing.
package struct MeteredFetch: Fetching {
    private let fetch: any Fetching
    private let metrics: PipelineMetrics

    package init(_ fetch: any Fetching, _ metrics: PipelineMetrics) {
        self.fetch = fetch
        self.metrics = metrics
    }

    package func fetch(_ request: FetchRequest) async throws(FetchError) -> FetchResponse {
        do throws(FetchError) {
            let response = try await fetch.fetch(request)
            metrics.fetched(request.url, .success(response))
            return response
        } catch {
            if case .cancelled = error { throw error }
            metrics.fetched(request.url, .failure(error))
            throw error
        }
    }

    /// By the names that counts have; the worst breaker of those that share one.
    package var hosts: [HostState] {
        get async {
            let named = Dictionary(grouping: await fetch.hosts) { metrics.hosts.known($0.host) }
            return named.map { name, states in
                HostState(
                    host: name,
                    breaker: states.map(\.breaker).max { $0.rawValue < $1.rawValue } ?? .closed,
                    waiting: states.reduce(0) { $0 + $1.waiting },
                    running: states.reduce(0) { $0 + $1.running })
            }
        }
    }
}
