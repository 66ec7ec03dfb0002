import Catalog
import Fetch
import FoundationEssentials
import Hashing
import Imaging
import Store
import Synchronization

/// Fills the cache before requests do.
package struct Warm: Sendable {
    let pictures: Pictures
    let catalog: CatalogReader
    let purge: Purge
    /// Returns the load that a host may receive.
    let policy: @Sendable (String) -> HostPolicy
    /// Render threads of this process.
    package let cores: Int
    /// The runs of this process that are under way.
    package let running = WarmRuns()
    /// Returns the state of the store.
    let storage: @Sendable () -> StoreStatus
    /// Returns what the cache takes on disk.
    let disk: @Sendable () -> UpkeepStatus

    /// How long a forecast is kept.
    private static let memory: TimeInterval = 30 * 86_400

    private var index: Index { pictures.thumbnails.index }

    /// Returns the monitor for a run of this request.
    package func monitor(_ request: WarmRequest) -> WarmMonitor {
        WarmMonitor(policy: policy)
    }

    /// Warms the items of a request. `report` is called for each. On cancellation the items in
    /// flight end first. Begins no item once the cache evicts what the run has made.
    ///
    /// - Parameter agrees: called if not all items fit into what is free of the cache's limits: before the
    ///   first one begins if enough is stored to tell, else after the first pictures. Returns whether the run
    ///   continues.
    /// - Throws: ``Failure`` if a list can't be read, a source has no credentials or the store
    ///   is unusable; `CancellationError`; what `report` throws.
    package func run(
        _ request: WarmRequest, _ monitor: WarmMonitor? = nil,
        report: @escaping @Sendable (WarmedItem) async throws -> Void = { _ in },
        agrees: @Sendable (WarmShortage) async -> Bool = { _ in true }
    ) async throws -> WarmSummary {
        let monitor = monitor ?? self.monitor(request)
        let number = running.add(request, monitor)
        defer { running.remove(number) }
        // The reading task counts its calls for this run.
        let items = RunMeter.$current.withValue(monitor.meter) {
            WarmItems(request.scope, limit: request.limit, of: catalog)
        }
        defer { items.close() }
        monitor.read(items)
        let warmer = Warmer(pictures, purge, request, monitor, storage: storage, disk: disk)
        var summary = try await warmer.run(
            items, sizes: try await sizes(request), report: report, agrees: agrees)
        summary.forecast = try await forecast(of: request)
        return summary
    }

    func warmer(renditions: Set<Rendition>, concurrency: Int) -> Warmer {
        let request = WarmRequest(.items([]), renditions: renditions, concurrency: concurrency)
        return Warmer(
            pictures, purge, request, monitor(request), storage: storage, disk: disk)
    }

    /// Returns what ``run(_:_:report:)`` would do. Reads lists, but no pictures.
    ///
    /// - Parameter samples: whether origins are asked for the sizes of some pictures.
    /// - Throws: ``Failure`` if a list can't be read, a source has no credentials or the store is
    ///   unusable; `CancellationError`.
    package func forecast(
        _ request: WarmRequest, samples: Bool = false
    ) async throws -> WarmForecast {
        var forecast = WarmForecast()
        var sampling = WarmSampling(pictures)
        let items = WarmItems(request.scope, limit: request.limit, of: catalog)
        defer { items.close() }
        for try await item in items {
            let need = try await pictures.need(item, request.renditions).need
                .asked(request.again)
            let asked = forecast.originals
            forecast.add(need, onlyMissing: request.onlyMissing)
            if samples, forecast.originals > asked { sampling.add(item) }
        }
        forecast.sample = await sampling.sample()
        forecast.stalePages = items.stalePages
        let meanBytes = try await meanOriginalBytes()
        forecast.estimate(meanBytes: meanBytes, rate: request.rate, rates(of: request))
        let mean = forecast.sample.flatMap { $0.sized > 0 ? $0.meanBytes : nil } ?? meanBytes
        forecast.weigh(
            try await sizes(request),
            orElse: mean.map { WarmSizes(usual: request.renditions, original: Double($0)) },
            disk().free)
        if !request.name.isEmpty { try await store(forecast, request.forecastKey) }
        return forecast
    }

    /// Returns the last forecast of this request; nil if there was none.
    private func forecast(of request: WarmRequest) async throws(Failure) -> WarmForecast? {
        request.name.isEmpty ? nil : try await stored(request.forecastKey)
    }

    /// Returns the rates of the hosts that each item asks: of its picture, and of the API for items that
    /// are named one by one.
    private func rates(of request: WarmRequest) -> [HostPolicy.Rate] {
        let sources = catalog.sources.all.filter { $0.name == request.source }
        let isNamed = if case .items = request.scope { true } else { false }
        return sources.flatMap { source in
            source.hostPolicies.map(\.pattern)
                .filter { isNamed || source.imageHosts.contains($0) }
                .compactMap { policy($0.description).rate }
        }
    }

    private func stored<Value: Decodable & Sendable>(
        _ key: String
    ) async throws(Failure) -> Value? {
        try await Failure.catching { [self] in
            guard let document = try await index.document(key), document.expiresAt > pictures.now()
            else { return nil }
            // What another version wrote says nothing.
            return try? JSONDecoder().decode(Value.self, from: Data(document.body))
        }
    }

    private func store(_ value: some Encodable & Sendable, _ key: String) async throws(Failure) {
        try await Failure.catching { [self] in
            let now = pictures.now()
            try await index.record(
                documents: [
                    DocumentRecord(
                        key: key, body: Array(try JSONEncoder().encode(value)), fetchedAt: now,
                        expiresAt: now.addingTimeInterval(Self.memory))
                ])
        }
    }

    /// Returns what pictures of a run take on disk; nil if too little is stored to tell.
    private func sizes(_ request: WarmRequest) async throws(Failure) -> WarmSizes? {
        try await Failure.catching { [self] in
            WarmSizes(try await index.statistics(), request.renditions, source: request.source)
        }
    }

    /// Returns the mean size of the stored originals; `nil` if none is stored.
    private func meanOriginalBytes() async throws(Failure) -> Int? {
        try await Failure.catching { [self] in
            let statistics = try await index.statistics()
            guard statistics.originals > 0 else { return nil }
            return statistics.originalBytes / statistics.originals
        }
    }
}

extension WarmRequest {
    /// Names the forecast of these thumbnails of this list.
    fileprivate var forecastKey: String {
        let names = renditions.map { "\($0.level.key).\($0.format.rawValue)" }.sorted()
        let digest = Digest(of: Array(([name] + names).joined(separator: "\n").utf8))
        return "warm:forecast:\(digest.hex)"
    }
}

/// Warm runs that are under way, for displays. Any thread.
package final class WarmRuns: Sendable {
    private struct State {
        var last = 0
        var all: [Int: (request: WarmRequest, monitor: WarmMonitor)] = [:]
    }

    private let runs = Mutex(State())

    /// The runs and how far they are, the first first.
    package var all: [(request: WarmRequest, now: WarmMonitor.Snapshot)] {
        runs.withLock { $0.all }.sorted { $0.key < $1.key }
            .map { ($0.value.request, $0.value.monitor.snapshot) }
    }

    func add(_ request: WarmRequest, _ monitor: WarmMonitor) -> Int {
        runs.withLock { runs in
            runs.last += 1
            runs.all[runs.last] = (request, monitor)
            return runs.last
        }
    }

    func remove(_ number: Int) { runs.withLock { _ = $0.all.removeValue(forKey: number) } }
}
