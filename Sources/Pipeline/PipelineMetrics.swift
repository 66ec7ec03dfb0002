import Fetch
import Imaging
package import Metrics
import Threads
import Traces

/// The pipeline's metrics by host and by format. Queue time is separate from work.
package struct PipelineMetrics: Sendable {
    let hosts = HostNames()
    private let renderQueue, renderWork, sharedWork, fetchQueue, firstByte: Labeled<Histogram>
    private let rendered, renderFailures, cachePurges: Labeled<Counter>
    private let sharedRequests, sharedLookups, sharedBytes, wrongObjects, uploads: Labeled<Counter>
    private let bucketRequests, bucketBytes: Labeled<Counter>
    private let fetches, attempts, retries, fetchedBytes: Labeled<Counter>

    /// - Parameter registry: has no other metrics of a pipeline.
    package init(_ registry: MetricRegistry = MetricRegistry()) {
        renderQueue = registry.histograms(
            "vitrine_render_queue_seconds", "Wait for a render thread, by lane.", by: "lane")
        renderWork = registry.histograms(
            "vitrine_render_seconds",
            "Duration of decoding, resampling and encoding, by format and lane, without queue wait.",
            by: "format", "lane")
        rendered = registry.counters(
            "vitrine_thumbnails_rendered_total",
            "Thumbnails rendered, by format and by the code that made them: planar or libvips.",
            by: "by", "format")
        renderFailures = registry.counters(
            "vitrine_render_failures_total", "Failed renders by reason.", by: "reason")
        cachePurges = registry.counters(
            "vitrine_cdn_purges_total",
            "Groups of names that a cache in front was told to purge, by way and result: told, failed.",
            by: "by", "result")
        sharedRequests = registry.counters(
            "vitrine_shared_requests_total",
            "Requests to the shared store by operation and result; skipped while it rests.",
            by: "operation", "result")
        sharedWork = registry.histograms(
            "vitrine_shared_seconds", "Duration of requests to the shared store by operation.",
            by: "operation")
        sharedLookups = registry.counters(
            "vitrine_shared_lookups_total",
            "Misses of this node's cache by what the shared store had: hit, miss, wrong, unavailable.",
            by: "result")
        sharedBytes = registry.counters(
            "vitrine_shared_bytes_total",
            "Bytes of bundles and references that were sent to the shared store or received.",
            by: "direction")
        wrongObjects = registry.counters(
            "vitrine_shared_wrong_total",
            "Objects of the shared store that were not what they should be, and were replaced.")
        uploads = registry.counters(
            "vitrine_shared_uploads_total",
            "Uploads in the background by result: stored, failed (tried again), abandoned, gone, dropped.",
            by: "result")
        bucketRequests = registry.counters(
            "vitrine_bucket_requests_total",
            "Requests to buckets by folder, operation (get, list, head) and status, retries included.",
            by: "folder", "operation", "status")
        bucketBytes = registry.counters(
            "vitrine_bucket_bytes_total", "Bytes of objects and lists received from buckets.",
            by: "folder")
        fetches = registry.counters(
            "vitrine_fetch_requests_total",
            "Requests to origins by host and final status or failure.", by: "host", "status")
        attempts = registry.counters(
            "vitrine_fetch_attempts_total", "Attempts by host, retries included.", by: "host")
        retries = registry.counters(
            "vitrine_fetch_retries_total", "Attempts by host after the first of each request.",
            by: "host")
        fetchedBytes = registry.counters(
            "vitrine_fetch_bytes_total", "Bytes of bodies received.", by: "host")
        fetchQueue = registry.histograms(
            "vitrine_fetch_queue_seconds", "Wait of requests to origins for their turn.")
        firstByte = registry.histograms(
            "vitrine_fetch_first_byte_seconds", "From the start of a transfer to its first byte.",
            by: "host")
    }

    func rendered(_ rendering: Rendering) {
        let lane = rendering.lane.rawValue
        renderQueue[lane].record(rendering.queued)
        renderWork[rendering.info.format.rawValue, lane].record(rendering.worked)
        for thumbnail in rendering.thumbnails {
            rendered[thumbnail.lane.rawValue, thumbnail.rendition.format.rawValue].add()
        }
    }

    func renderFailed(_ error: ImagingError) { renderFailures[error.word].add() }

    /// A cache in front was told what was purged, or could not be told.
    package func cachePurge(by way: String, isTold: Bool) {
        cachePurges[way, isTold ? "told" : "failed"].add()
    }

    /// A request to the shared store ended.
    func shared(_ operation: String, _ result: String, _ duration: Duration) {
        sharedRequests[operation, result].add()
        if result != "skipped" { sharedWork[operation].record(duration) }
    }

    /// A miss asked the shared store for an item.
    func sharedLookup(_ result: String) { sharedLookups[result].add() }

    func sharedBytes(_ direction: String, _ bytes: Int) { sharedBytes[direction].add(bytes) }

    func sharedWrong() { wrongObjects[].add() }

    func sharedUpload(_ result: String) { uploads[result].add() }

    /// Fetches and counts the result. A canceled request isn't counted. The span of a traced request gets
    /// what is known of it.
    func counting(
        _ request: FetchRequest, by fetch: any Fetching
    ) async throws(FetchError) -> FetchResponse {
        let span = Span.current
        var request = request
        if let span { request.headers += span.fields }
        do throws(FetchError) {
            let response = try await fetch.fetch(request)
            fetched(request.url, .success(response))
            span?.asked(request, response.attempts, status: response.status)
            WarmStages.current?.transferred(
                to: HostNames.host(of: request.url) ?? HostNames.other, response.attempts,
                bytes: response.body.count)
            return response
        } catch {
            if case .canceled = error.cause { throw error }
            fetched(request.url, .failure(error))
            span?.asked(request, error.attempts, status: nil)
            WarmStages.current?.transferred(
                to: HostNames.host(of: request.url) ?? HostNames.other, error.attempts, bytes: 0)
            throw error
        }
    }

    /// Asks the bucket of a folder and counts each attempt, because it costs money. The span of a traced
    /// request gets what is known of it.
    func counting(
        _ request: FetchRequest, by fetch: any Fetching, ofBucket folder: String
    ) async throws(FetchError) -> FetchResponse {
        let span = Span.current
        let operation = BucketUse.Operation(request)
        func count(_ attempts: [FetchAttempt], bytes: Int, status: Int?) {
            for attempt in attempts {
                let status = attempt.status.map { "\($0)" } ?? "failed"
                bucketRequests[folder, operation.rawValue, status].add()
            }
            bucketBytes[folder].add(bytes)
            span?.asked(request, attempts, status: status)
            WarmStages.current?.transferred(to: folder, attempts, bytes: bytes)
            WarmStages.current?.asked(bucket: folder, operation, attempts.count, bytes: bytes)
        }
        do throws(FetchError) {
            let response = try await fetch.fetch(request)
            count(response.attempts, bytes: response.received, status: response.status)
            return response
        } catch {
            count(error.attempts, bytes: 0, status: nil)
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
        let host = hosts.name(of: url)
        let started: Int
        switch result {
        case .success(let response):
            fetches[host, "\(response.status)"].add()
            fetchedBytes[host].add(response.body.count)
            fetchQueue[].record(response.timings.queued)
            firstByte[host].record(response.timings.startTransfer)
            started = response.attempts.count
        case .failure(let error):
            fetches[host, error.cause.word].add()
            started = error.attempts.count
        }
        attempts[host].add(started)
        retries[host].add(max(0, started - 1))
    }
}

extension Span {
    /// Names the origin and how it answered. The URL stays out, because it may hold credentials.
    fileprivate func asked(_ request: FetchRequest, _ attempts: [FetchAttempt], status: Int?) {
        var attributes: [String: SpanValue] = [
            "http.request.method": .text(request.method.rawValue)
        ]
        if let host = HostNames.host(of: request.url) { attributes["server.address"] = .text(host) }
        if let status { attributes["http.response.status_code"] = .number(status) }
        if attempts.count > 1 {
            attributes["http.request.resend_count"] = .number(attempts.count - 1)
        }
        asked(attributes)
    }
}

extension FetchError.Cause {
    /// For a label.
    fileprivate var word: String {
        switch self {
        case .invalidURL: "invalid-url"
        case .hostNotAllowed, .addressRefused: "refused"
        case .tooManyRedirects: "too-many-redirects"
        case .tooLarge: "too-large"
        case .resolveFailed: "not-resolved"
        case .connectFailed, .resting: "not-connected"
        case .held: "held"
        case .tlsFailed, .notTrusted: "tls"
        case .timedOut: "timed-out"
        case .truncated: "truncated"
        case .protocolError, .redirectRefused: "protocol"
        case .canceled: "cancelled"
        case .stopped: "stopped"
        case .configuration: "configuration"
        }
    }
}

extension ImagingError {
    /// For a label.
    var word: String {
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
