import FoundationEssentials
import HTTP
import HTTPTypes
import Imaging
import Memory
import Metrics
import Pipeline
import Store
import Synchronization

/// Everything that `/metrics` shows: recorded counts, and the current state.
struct ServiceMetrics: Sendable {
    let requests: RequestMetrics
    private let registry: MetricRegistry
    private let version: String
    private let pipeline: MediaPipeline
    private let responses: ByteBudget
    private let threads: [HitCounters]
    /// Limit of connections over TLS; nil without.
    private let encrypted: Int?
    private let rows: RowCounts
    private let making = Room(limit: Self.mostAtOnce)

    /// Responses that are made at a time. Each waits for the thread of transfers, and keeps what its task has until
    /// then, some 20 KB. Few programs scrape.
    private static let mostAtOnce = 16

    /// - Parameter threads: counts of the threads that serve connections.
    init(
        _ configuration: ServerConfiguration, _ pipeline: MediaPipeline, _ responses: ByteBudget,
        _ threads: [HitCounters] = []
    ) {
        registry = configuration.metrics
        version = configuration.version
        encrypted = configuration.tls == nil ? nil : configuration.maxConnections
        self.pipeline = pipeline
        self.responses = responses
        self.threads = threads
        requests = RequestMetrics(threads)
        rows = RowCounts(pipeline)
    }

    /// Returns the response to `GET /metrics`.
    func answer() async -> Response {
        guard let place = making.take(1) else { return RequestRefusal.overloaded.answer }
        defer { withExtendedLifetime(place) {} }
        // Before the first line is written, because requests that wait would keep what they have written.
        let origins = await pipeline.origins
        let statistics = await rows.statistics
        let status = pipeline.status
        var text = registry.text
        text.gauges(
            "vitrine_build_info", "Version of the program; always 1.", by: ["version"],
            [[version]: 1])
        requests.write(to: &text)
        connections(&text)
        work(status, &text)
        renders(status.renders, &text)
        shares(status, &text)
        storage(status, &text)
        disk(status.disk, &text)
        if let shared = status.shared { self.shared(shared, &text) }
        self.origins(origins, &text)
        if let statistics { contents(statistics, &text) }
        ProcessMetrics.write(to: &text, childSeconds: status.childSeconds)
        return .unstored(type: MetricText.contentType, text.bytes)
    }

    private func connections(_ text: inout MetricText) {
        let counters = ConnectionCounters(threads)
        text.gauge("vitrine_http_connections", "Connections open.", counters.open)
        text.counter(
            "vitrine_http_connections_total", "Connections accepted.", counters.accepted)
        text.counter(
            "vitrine_http_connections_timed_out_total",
            "Connections closed because their client neither sent nor read in time.",
            counters.timedOut)
        let files = pipeline.pictures.openFiles
        text.gauges(
            "vitrine_open_files",
            "Files of the cache and of folders that are open: for responses under way and repeated ones, or kept for the next one.",
            by: ["for"], [["response"]: files.responses, ["next"]: files.kept])
        text.counter(
            "vitrine_http_refused_total",
            "Requests refused before routing: 400, 408, 414, 431, 501, 503 and 505.",
            counters.refused)
    }

    private func work(_ status: PipelineStatus, _ text: inout MetricText) {
        text.gauge(
            "vitrine_walks_waiting",
            "Misses that wait for their host or for one of the 64 places.",
            status.missLoad.waiting)
        text.gauge(
            "vitrine_lookups_waiting",
            "Queued look-ups of catalog pages and items.",
            status.lookupLoad.waiting)
        text.gauge(
            "vitrine_memory_tier_bytes", "Bytes of pictures kept in memory.", status.memory.bytes)
        text.gauge(
            "vitrine_memory_tier_entries", "Pictures kept in memory.", status.memory.count)
        text.counter(
            "vitrine_memory_tier_evictions_total",
            "Pictures evicted from memory. They stay on disk.", status.memory.evictions)
        text.gauge(
            "vitrine_libvips_memory_bytes", "Memory tracked by libvips.", status.libraryMemory)
        text.counter("vitrine_renders_total", "Started decodes.", status.renderCount)
        text.counter(
            "vitrine_quarantined_total", "Originals that crashed a renderer.",
            status.quarantineCount)
    }

    private func renders(_ load: RenderLoad, _ text: inout MetricText) {
        text.gauges(
            "vitrine_render_waiting", "Pictures waiting for a thread or memory, by lane.",
            by: ["lane"], [["quick"]: load.quickWaiting, ["slow"]: load.slowWaiting])
        text.gauge("vitrine_render_running", "Running renders.", load.running)
        text.gauge(
            "vitrine_render_overdue", "Renders past their deadline that ignore cancellation.",
            load.overdue)
        text.gauge(
            "vitrine_render_memory_bytes", "Predicted memory of running renders.", load.memory)
    }

    /// Use and limit of the shares of `memory.budget`.
    private func shares(_ status: PipelineStatus, _ text: inout MetricText) {
        let (originals, responses) = (status.originals, responses.load)
        var used = [
            ["imaging"]: status.renders.memory, ["originals"]: originals.held,
            ["cache"]: status.memory.bytes, ["responses"]: responses.held,
            ["catalogs"]: status.catalogBytes,
        ]
        var limits = [
            ["imaging"]: status.renders.memoryLimit, ["originals"]: originals.limit,
            ["cache"]: pipeline.configuration.hitBytes, ["responses"]: responses.limit,
            ["catalogs"]: pipeline.configuration.catalogBytes,
        ]
        if let encrypted {
            let each = MemoryShares.encryptedConnection
            used[["connections"]] = ConnectionCounters(threads).open * each
            limits[["connections"]] = encrypted * each
        }
        text.gauges(
            "vitrine_memory_share_bytes", "Bytes in use, by share of memory.budget.",
            by: ["share"], used)
        text.gauges(
            "vitrine_memory_share_limit_bytes", "Bytes that a share of memory.budget may have.",
            by: ["share"], limits)
        text.gauges(
            "vitrine_memory_waiting", "Originals and responses that wait for memory.",
            by: ["share"],
            [["originals"]: originals.waiting, ["responses"]: responses.waiting])
    }

    private func storage(_ status: PipelineStatus, _ text: inout MetricText) {
        let storage = status.storage
        text.gauge(
            "vitrine_store_behind",
            "1 while the disk fails and the service continues from memory.",
            storage.trouble == nil ? 0 : 1)
        text.counter(
            "vitrine_store_failed_writes_total", "Writes that failed.", storage.failedWrites)
        text.counter(
            "vitrine_store_failed_reads_total", "Reads that failed and counted as missing.",
            storage.failedReads)
        text.counter(
            "vitrine_store_databases_set_aside_total",
            "Damaged databases that were moved aside and replaced.", storage.setAside)
        text.counter(
            "vitrine_store_heals_total", "Damaged blobs that were quarantined.", status.healCount)
    }

    private func disk(_ status: UpkeepStatus, _ text: inout MetricText) {
        text.gauge(
            "vitrine_disk_bytes", "Bytes of everything below the cache directory.",
            status.usage.bytes)
        text.gauge(
            "vitrine_disk_limit_bytes",
            "Limit of vitrine_disk_bytes now: cache.budget, less if the file system is full.",
            status.limits.bytes)
        text.counters(
            "vitrine_evictions_total", "Blobs evicted from disk, by role.", by: ["role"],
            [
                ["original"]: status.evicted.originals, ["thumbnail"]: status.evicted.thumbnails,
                ["orphan"]: status.evicted.orphans,
            ])
        text.counter(
            "vitrine_scrub_damaged_total", "Damaged blobs that the scrub found.",
            status.scrub.damaged)
    }

    private func shared(_ status: SharedStatus, _ text: inout MetricText) {
        text.gauge(
            "vitrine_shared_breaker_state",
            "Shared store: 0 asked, 1 the next request is a probe, 2 not asked after failures.",
            status.breaker)
        text.gauge(
            "vitrine_shared_uploads_waiting", "Items that are not in the shared store yet.",
            status.waiting)
        text.gauge(
            "vitrine_shared_uploads_oldest_seconds",
            "Age of the oldest item that waits for its upload.",
            status.oldest.map { max(0, pipeline.now().timeIntervalSince($0)) } ?? 0)
    }

    private func origins(_ origins: [OriginLoad], _ text: inout MetricText) {
        func byHost(_ value: (OriginLoad) -> Int) -> [[String]: Int] {
            origins.reduce(into: [:]) { $0[[$1.name]] = value($1) }
        }
        text.gauges(
            "vitrine_fetch_breaker_state",
            "By host: 0 closed, 1 half open (the next transfer is a probe), 2 open (not asked).",
            by: ["host"], byHost { $0.breaker })
        text.gauges(
            "vitrine_fetch_waiting", "Transfers queued for their host.", by: ["host"],
            byHost { $0.waiting })
    }

    private func contents(_ statistics: IndexStatistics, _ text: inout MetricText) {
        text.gauges(
            "vitrine_store_bytes", "Bytes of originals and thumbnails in the index.",
            by: ["kind"],
            [
                ["originals"]: statistics.originalBytes,
                ["thumbnails"]: statistics.thumbnailBytes,
            ])
        text.gauge(
            "vitrine_store_originals", "Originals in the index.", statistics.originals)
        text.gauge(
            "vitrine_store_thumbnails", "Thumbnails in the index.", statistics.thumbnails)
    }
}

/// Counts rows of the index at most twice a minute.
private final class RowCounts: Sendable {
    private static let life: TimeInterval = 30

    private let pipeline: MediaPipeline
    private let known = Mutex<(at: Date, statistics: IndexStatistics)?>(nil)

    init(_ pipeline: MediaPipeline) { self.pipeline = pipeline }

    /// Nil if the index can't be read, which other metrics report.
    var statistics: IndexStatistics? {
        get async {
            let now = pipeline.now()
            let kept = known.withLock { $0 }
            if let kept, now.timeIntervalSince(kept.at) < Self.life { return kept.statistics }
            guard let statistics = try? await pipeline.statistics() else { return nil }
            known.withLock { $0 = (now, statistics) }
            return statistics
        }
    }
}
