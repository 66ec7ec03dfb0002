import FoundationEssentials
import HTTPTypes
import HitServer
import Imaging
import Memory
import Pipeline
import Store
import Synchronization

/// Everything that `/metrics` shows: recorded counts, and the current state.
struct ServiceMetrics: Sendable {
    let registry: MetricRegistry
    let requests: RequestMetrics
    private let pipeline: MediaPipeline
    private let counts: @Sendable () -> ConnectionCounters
    private let rows: RowCounts
    private let build: MetricSample
    private let responses: ByteBudget

    init(
        _ registry: MetricRegistry, _ version: String, _ pipeline: MediaPipeline,
        _ responses: ByteBudget, counts: @escaping @Sendable () -> ConnectionCounters
    ) {
        self.registry = registry
        build = MetricSample(
            name: "vitrine_build_info", kind: .gauge,
            labels: [MetricSample.Label(name: "version", value: version)], value: .number(1))
        self.pipeline = pipeline
        self.responses = responses
        self.counts = counts
        requests = RequestMetrics(registry)
        rows = RowCounts(pipeline)
    }

    /// Returns the response to `GET /metrics`.
    func answer() async -> Response {
        let status = pipeline.status
        let samples =
            Self.added(registry.snapshot + hits()) + connections() + work(status)
            + renders(status.renders) + shares(status) + storage(status.storage) + disk(status.disk)
            + shared(status.shared) + (await origins())
            + (await rows.samples) + [build]
            + ProcessMetrics.samples
        return Response(
            status: .ok,
            fields: [
                .contentType: MetricText.contentType, .cacheControl: "no-store",
                .xContentTypeOptions: "nosniff",
            ],
            body: MetricText.of(samples))
    }

    /// Requests since the start: all, those for thumbnails, and those of them that were answered
    /// from memory or disk.
    func requestCounts() -> (all: Int, pictures: Int, hits: Int) {
        var (all, pictures, hits) = (0.0, 0.0, 0.0)
        for sample in registry.snapshot + self.hits()
        where sample.name == RequestMetrics.requests {
            guard case .number(let count) = sample.value else { continue }
            all += count
            func has(_ name: String, _ values: [String]) -> Bool {
                sample.labels.contains { $0.name == name && values.contains($0.value) }
            }
            guard has("route", [RequestMetrics.route("/t/")]) else { continue }
            pictures += count
            if has("cache", ["hit", "stale", "renewed"]) { hits += count }
        }
        return (Int(all), Int(pictures), Int(hits))
    }

    /// The hits, in the same series as other requests.
    private func hits() -> [MetricSample] {
        let counters = counts()
        let pictures = BlobSeries(route: .picture, isStale: false)
        let stale = BlobSeries(route: .picture, isStale: true)
        var requests = counters.blobs
        requests[.init(series: pictures, status: 200)] = counters.hits - counters.staleHits
        requests[.init(series: stale, status: 200)] = counters.staleHits
        requests[.init(series: pictures, status: 304)] =
            counters.notModified - counters.staleNotModified
        requests[.init(series: stale, status: 304)] = counters.staleNotModified
        // Series of routes that were never asked for stay out.
        var seconds = counters.blobSeconds.filter { $0.value.counts.contains { $0 > 0 } }
        seconds[pictures] = counters.hitSeconds
        seconds[stale] = counters.staleSeconds
        return requests.map { kind, count in
            MetricSample(
                name: RequestMetrics.requests, kind: .counter,
                labels: Self.labels(kind.series) + [
                    MetricSample.Label(name: "status", value: "\(kind.status)")
                ], value: .number(Double(count)))
        }
            + seconds.map { series, counts in
                MetricSample(
                    name: RequestMetrics.seconds, kind: .histogram, labels: Self.labels(series),
                    value: counts.value(HistogramSeries.seconds))
            }
    }

    private static func labels(_ series: BlobSeries) -> [MetricSample.Label] {
        [
            MetricSample.Label(name: "cache", value: Self.cache(series)),
            MetricSample.Label(name: "route", value: "\(series.route.prefix)"),
        ]
    }

    /// Constant documents are in no cache, and have no `Cache-Status`.
    private static func cache(_ series: BlobSeries) -> String {
        switch series.route {
        case .gallery, .description: "none"
        default: series.isStale ? "stale" : "hit"
        }
    }

    /// Adds samples with equal names and labels.
    private static func added(_ samples: [MetricSample]) -> [MetricSample] {
        Dictionary(grouping: samples) { [$0.name] + $0.labels.map { "\($0.name)\n\($0.value)" } }
            .values.map { equal in
                equal.dropFirst().reduce(equal[0]) { sum, sample in
                    var sum = sum
                    sum.value = sum.value + sample.value
                    return sum
                }
            }
    }

    private func connections() -> [MetricSample] {
        let counters = counts()
        return [
            Self.gauge("vitrine_http_connections", counters.open),
            Self.counter("vitrine_http_connections_total", counters.accepted),
            Self.counter("vitrine_http_connections_timed_out_total", counters.timedOut),
            Self.counter("vitrine_http_refused_total", counters.refused),
            Self.counter("vitrine_http_body_bytes_total", counters.bodyBytes),
        ]
    }

    private func work(_ status: PipelineStatus) -> [MetricSample] {
        let memory = status.memory
        return [
            Self.counter("vitrine_renders_total", status.renderCount),
            Self.counter("vitrine_store_heals_total", status.healCount),
            Self.counter("vitrine_quarantined_total", status.quarantineCount),
            Self.gauge("vitrine_walks", status.misses),
            Self.gauge("vitrine_walks_waiting", status.missLoad.waiting),
            Self.gauge("vitrine_lookups_waiting", status.lookupLoad.waiting),
            Self.gauge("vitrine_memory_tier_bytes", memory.bytes),
            Self.gauge("vitrine_memory_tier_entries", memory.count),
            Self.counter("vitrine_memory_tier_evictions_total", memory.evictions),
            Self.gauge("vitrine_libvips_memory_bytes", status.libraryMemory),
        ]
    }

    private func storage(_ status: StoreStatus) -> [MetricSample] {
        return [
            Self.gauge("vitrine_store_behind", status.trouble == nil ? 0 : 1),
            Self.gauge("vitrine_store_unsaved_bytes", status.unsavedBytes),
            Self.counter("vitrine_store_failed_writes_total", status.failedWrites),
            Self.counter("vitrine_store_failed_reads_total", status.failedReads),
            Self.counter("vitrine_store_databases_set_aside_total", status.setAside),
        ]
    }

    private func disk(_ status: UpkeepStatus) -> [MetricSample] {
        [
            Self.gauge("vitrine_disk_bytes", status.usage.bytes),
            Self.gauge("vitrine_disk_limit_bytes", status.limits.bytes),
            Self.gauge("vitrine_disk_files", status.usage.files),
            Self.gauge("vitrine_disk_limit_files", status.limits.files),
            Self.gauge("vitrine_disk_free_bytes", status.freeBytes),
            Self.gauge("vitrine_disk_pinned_bytes", status.pinnedBytes),
            Self.counter(
                "vitrine_evictions_total", status.evictedOriginals, "role", "original"),
            Self.counter(
                "vitrine_evictions_total", status.evictedThumbnails, "role", "thumbnail"),
            Self.counter("vitrine_evictions_total", status.evictedOrphans, "role", "orphan"),
            Self.counter("vitrine_evicted_bytes_total", status.evictedBytes),
            Self.counter("vitrine_scrub_blobs_total", status.scrub.blobs),
            Self.counter("vitrine_scrub_bytes_total", status.scrub.bytes),
            Self.counter("vitrine_scrub_damaged_total", status.scrub.damaged),
        ]
    }

    private func shared(_ status: SharedStatus?) -> [MetricSample] {
        guard let status else { return [] }
        let age = status.oldest.map { max(0, pipeline.now().timeIntervalSince($0)) } ?? 0
        return [
            Self.gauge("vitrine_shared_breaker_state", status.breaker),
            Self.gauge("vitrine_shared_uploads_waiting", status.waiting),
            MetricSample(
                name: "vitrine_shared_uploads_oldest_seconds", kind: .gauge, value: .number(age)),
        ]
    }

    /// Use and limit of the shares of `memory.budget`.
    private func shares(_ status: PipelineStatus) -> [MetricSample] {
        let (originals, responses, renders) = (
            status.originals, responses.load, status.renders
        )
        return [
            ("imaging", renders.memory, renders.memoryLimit),
            ("originals", originals.held, originals.limit),
            ("cache", status.memory.bytes, pipeline.configuration.hitBytes),
            ("responses", responses.held, responses.limit),
            ("catalogs", status.catalogBytes, pipeline.configuration.catalogBytes),
        ].flatMap { share, used, limit in
            [
                Self.gauge("vitrine_memory_share_bytes", used, "share", share),
                Self.gauge("vitrine_memory_share_limit_bytes", limit, "share", share),
            ]
        } + [
            Self.gauge("vitrine_memory_waiting", originals.waiting, "share", "originals"),
            Self.gauge("vitrine_memory_waiting", responses.waiting, "share", "responses"),
        ]
    }

    private func renders(_ load: RenderLoad) -> [MetricSample] {
        let oldest = load.oldest.map { $0 / .seconds(1) } ?? 0
        return [
            Self.gauge("vitrine_render_waiting", load.quickWaiting, "lane", "quick"),
            Self.gauge("vitrine_render_waiting", load.slowWaiting, "lane", "slow"),
            Self.gauge("vitrine_render_running", load.running),
            Self.gauge("vitrine_render_overdue", load.overdue),
            Self.gauge("vitrine_render_memory_bytes", load.memory),
            Self.gauge("vitrine_render_memory_limit_bytes", load.memoryLimit),
            MetricSample(
                name: "vitrine_render_oldest_seconds", kind: .gauge, value: .number(oldest)),
        ]
    }

    private func origins() async -> [MetricSample] {
        await pipeline.origins.flatMap { origin in
            [
                ("vitrine_fetch_breaker_state", origin.breaker),
                ("vitrine_fetch_waiting", origin.waiting),
                ("vitrine_fetch_running", origin.running),
            ].map { Self.gauge($0, $1, "host", origin.name) }
        }
    }

    static func gauge(_ name: String, _ value: Int, _ label: String, _ text: String) -> MetricSample
    {
        MetricSample(
            name: name, kind: .gauge, labels: [MetricSample.Label(name: label, value: text)],
            value: .number(Double(value)))
    }

    static func gauge(_ name: String, _ value: Int) -> MetricSample {
        MetricSample(name: name, kind: .gauge, value: .number(Double(value)))
    }

    static func counter(
        _ name: String, _ value: Int, _ label: String, _ text: String
    ) -> MetricSample {
        MetricSample(
            name: name, kind: .counter, labels: [MetricSample.Label(name: label, value: text)],
            value: .number(Double(value)))
    }

    static func counter(_ name: String, _ value: Int) -> MetricSample {
        MetricSample(name: name, kind: .counter, value: .number(Double(value)))
    }
}

/// Counts rows of the index at most twice a minute.
private final class RowCounts: Sendable {
    private static let life: TimeInterval = 30

    private let pipeline: MediaPipeline
    private let known = Mutex<(at: Date, samples: [MetricSample])?>(nil)

    init(_ pipeline: MediaPipeline) { self.pipeline = pipeline }

    var samples: [MetricSample] {
        get async {
            let now = pipeline.now()
            let kept = known.withLock { $0 }
            if let kept, now.timeIntervalSince(kept.at) < Self.life { return kept.samples }
            // Other metrics report an unreadable index. The rest is still shown.
            guard let statistics = try? await pipeline.statistics() else { return [] }
            let samples = [
                ServiceMetrics.gauge(
                    "vitrine_store_bytes", statistics.originalBytes, "kind", "originals"),
                ServiceMetrics.gauge(
                    "vitrine_store_bytes", statistics.thumbnailBytes, "kind", "thumbnails"),
                ServiceMetrics.gauge("vitrine_store_originals", statistics.originals),
                ServiceMetrics.gauge("vitrine_store_thumbnails", statistics.thumbnails),
                ServiceMetrics.gauge("vitrine_store_quarantined", statistics.quarantined),
            ]
            known.withLock { $0 = (now, samples) }
            return samples
        }
    }
}
