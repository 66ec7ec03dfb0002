package import CoreMetrics
package import Fetch
import Imaging
import Synchronization

/// What the pipeline tells of its work: queue wait apart from work, by host and by format.
package struct PipelineMetrics: Sendable {
    private let factory: any MetricsFactory
    private let hosts = HostNames()

    package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.factory = factory
    }

    func rendered(_ rendering: Rendering) {
        let format = [("format", rendering.info.format.rawValue)]
        time("vitrine_render_queue_seconds", [], rendering.queued)
        time("vitrine_render_seconds", format, rendering.worked)
    }

    func renderFailed(_ error: ImagingError) {
        count("vitrine_render_failures_total", [("reason", error.word)])
    }

    func fetched(_ url: String, _ result: Result<FetchResponse, FetchError>) {
        let host = [("host", hosts.name(of: url))]
        switch result {
        case .success(let response):
            count("vitrine_fetch_requests_total", host + [("status", "\(response.status)")])
            count("vitrine_fetch_attempts_total", host, response.attempts.count)
            count("vitrine_fetch_bytes_total", host, response.body.count)
            time("vitrine_fetch_queue_seconds", host, response.timings.queued)
            time("vitrine_fetch_first_byte_seconds", host, response.timings.startTransfer)
            time("vitrine_fetch_seconds", host, response.timings.total)
        case .failure(let error):
            count("vitrine_fetch_requests_total", host + [("status", error.word)])
        }
    }

    private func count(_ label: String, _ dimensions: [(String, String)], _ amount: Int = 1) {
        Counter(label: label, dimensions: dimensions, factory: factory).increment(by: amount)
    }

    private func time(_ label: String, _ dimensions: [(String, String)], _ duration: Duration) {
        Timer(label: label, dimensions: dimensions, factory: factory)
            .recordNanoseconds(duration.nanoseconds)
    }
}

extension Duration {
    /// As swift-metrics wants it; the rest is cut off.
    package var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}

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
}

/// Hosts as labels: the first ones by name, so that signed URLs can't make any number of series.
private final class HostNames: Sendable {
    private static let most = 64
    private let known = Mutex<Set<String>>([])

    func name(of url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return "other" }
        let host = url[start...].prefix { !"/?#".contains($0) }
        guard !host.contains("@") else { return "other" }
        return known.withLock { known in
            if known.count < Self.most { known.insert(String(host)) }
            return known.contains(String(host)) ? String(host) : "other"
        }
    }
}

extension FetchError {
    /// For a label.
    fileprivate var word: String {
        switch self {
        case .invalidURL: "invalid-url"
        case .hostNotAllowed, .addressRefused: "refused"
        case .tooManyRedirects: "too-many-redirects"
        case .tooLarge: "too-large"
        case .resolveFailed: "not-resolved"
        case .connectFailed: "not-connected"
        case .tlsFailed: "tls"
        case .timedOut: "timed-out"
        case .truncated: "truncated"
        case .protocolError: "protocol"
        case .cancelled: "cancelled"
        case .stopped: "stopped"
        case .configuration: "configuration"
        }
    }
}

extension ImagingError {
    /// For a label.
    fileprivate var word: String {
        switch self {
        case .notAnImage: "not-an-image"
        case .unsupported: "unsupported"
        case .broken: "broken"
        case .overLimit: "over-limit"
        case .crashed: "crashed"
        case .tooSlow: "too-slow"
        case .quarantined: "quarantined"
        case .overloaded: "overloaded"
        case .cancelled: "cancelled"
        case .stopped: "stopped"
        case .misconfigured: "misconfigured"
        }
    }
}
