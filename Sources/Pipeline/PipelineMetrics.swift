package import CoreMetrics
import Fetch
import Imaging
import Synchronization

/// The pipeline's metrics by host and by format. Queue time is separate from work.
package struct PipelineMetrics: Sendable {
    private let factory: any MetricsFactory
    let hosts = HostNames()
    private let origins: OriginSeries

    package init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.factory = factory
        origins = OriginSeries(factory)
    }

    func rendered(_ rendering: Rendering) {
        let lane = [("lane", rendering.lane.rawValue)]
        let format = [("format", rendering.info.format.rawValue)]
        time("vitrine_render_queue_seconds", lane, rendering.queued)
        time("vitrine_render_seconds", format + lane, rendering.worked)
        for thumbnail in rendering.thumbnails {
            count(
                "vitrine_thumbnails_rendered_total",
                [("by", thumbnail.lane.rawValue), ("format", thumbnail.rendition.format.rawValue)])
        }
    }

    func renderFailed(_ error: ImagingError) {
        count("vitrine_render_failures_total", [("reason", error.word)])
    }

    /// A cache in front was told what was purged, or could not be told.
    package func cachePurge(by way: String, isTold: Bool) {
        count(
            "vitrine_cdn_purges_total", [("by", way), ("result", isTold ? "told" : "failed")])
    }

    /// A request to the shared store ended.
    func shared(_ operation: String, _ result: String, _ duration: Duration) {
        count(
            "vitrine_shared_requests_total", [("operation", operation), ("result", result)])
        if result != "skipped" {
            time("vitrine_shared_seconds", [("operation", operation)], duration)
        }
    }

    /// A miss asked the shared store for an item.
    func sharedLookup(_ result: String) {
        count("vitrine_shared_lookups_total", [("result", result)])
    }

    func sharedBytes(_ direction: String, _ bytes: Int) {
        count("vitrine_shared_bytes_total", [("direction", direction)], bytes)
    }

    func sharedWrong() { count("vitrine_shared_wrong_total", []) }

    func sharedUpload(_ result: String) {
        count("vitrine_shared_uploads_total", [("result", result)])
    }

    /// Fetches and counts the result. A canceled request isn't counted.
    func counting(
        _ request: FetchRequest, by fetch: any Fetching
    ) async throws(FetchError) -> FetchResponse {
        do throws(FetchError) {
            let response = try await fetch.fetch(request)
            fetched(request.url, .success(response))
            RunMeter.current?.transferred(
                to: HostNames.host(of: request.url) ?? HostNames.other, response.attempts,
                bytes: response.body.count)
            return response
        } catch {
            if case .canceled = error { throw error }
            fetched(request.url, .failure(error))
            RunMeter.current?.transferred(
                to: HostNames.host(of: request.url) ?? HostNames.other, error.attempts, bytes: 0)
            throw error
        }
    }

    /// Returns the load of recently used origins by their labels. Of origins that share a label it
    /// has the worst breaker.
    func loads(of states: [HostState]) -> [OriginLoad] {
        Dictionary(grouping: states) { hosts.known($0.host) }.map { name, states in
            OriginLoad(
                name: name, breaker: states.map(\.breaker.rawValue).max() ?? 0,
                waiting: states.reduce(0) { $0 + $1.waiting },
                running: states.reduce(0) { $0 + $1.running })
        }
    }

    private func fetched(_ url: String, _ result: Result<FetchResponse, FetchError>) {
        let name = hosts.name(of: url)
        let host = [("host", name)]
        switch result {
        case .success(let response):
            count("vitrine_fetch_requests_total", host + [("status", "\(response.status)")])
            let series = origins.series(of: name)
            series.attempts.increment(by: response.attempts.count)
            series.retries.increment(by: max(0, response.attempts.count - 1))
            series.bytes.increment(by: response.body.count)
            series.queued.recordNanoseconds(response.timings.queued.nanoseconds)
            series.firstByte.recordNanoseconds(response.timings.startTransfer.nanoseconds)
            series.total.recordNanoseconds(response.timings.total.nanoseconds)
        case .failure(let error):
            count("vitrine_fetch_requests_total", host + [("status", error.word)])
            attempted(host, error.attempts.count)
        }
    }

    private func attempted(_ host: [(String, String)], _ attempts: Int) {
        count("vitrine_fetch_attempts_total", host, attempts)
        count("vitrine_fetch_retries_total", host, max(0, attempts - 1))
    }

    private func count(_ label: String, _ dimensions: [(String, String)], _ amount: Int = 1) {
        CoreMetrics.Counter(label: label, dimensions: dimensions, factory: factory).increment(
            by: amount)
    }

    private func time(_ label: String, _ dimensions: [(String, String)], _ duration: Duration) {
        Timer(label: label, dimensions: dimensions, factory: factory)
            .recordNanoseconds(duration.nanoseconds)
    }
}

/// What is measured of every response, by its origin's label. Looked up once, because that takes as long
/// as ten counts.
private final class OriginSeries: Sendable {
    struct Series: Sendable {
        let attempts, retries, bytes: CoreMetrics.Counter
        let queued, firstByte, total: Timer
    }

    private let factory: any MetricsFactory
    private let known = Mutex<[String: Series]>([:])

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// - Parameter host: one of the labels of ``HostNames``, whose number is bounded.
    func series(of host: String) -> Series {
        known.withLock { known in
            if let series = known[host] { return series }
            let labels = [("host", host)]
            func counter(_ name: String) -> CoreMetrics.Counter {
                CoreMetrics.Counter(label: name, dimensions: labels, factory: factory)
            }
            func timer(_ name: String) -> Timer {
                Timer(label: name, dimensions: labels, factory: factory)
            }
            let series = Series(
                attempts: counter("vitrine_fetch_attempts_total"),
                retries: counter("vitrine_fetch_retries_total"),
                bytes: counter("vitrine_fetch_bytes_total"),
                queued: timer("vitrine_fetch_queue_seconds"),
                firstByte: timer("vitrine_fetch_first_byte_seconds"),
                total: timer("vitrine_fetch_seconds"))
            known[host] = series
            return series
        }
    }
}

extension Duration {
    /// Nanoseconds for swift-metrics, rounded down.
    package var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
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
        case .canceled: "cancelled"
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
        case .canceled: "cancelled"
        case .stopped: "stopped"
        case .misconfigured: "misconfigured"
        }
    }
}
