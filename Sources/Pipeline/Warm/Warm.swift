package import Catalog
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
    let pins: Pins
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
        WarmMonitor(request, policy: policy)
    }

    /// Warms the items of a request. `report` is called for each. On cancellation the items in
    /// flight end first. Begins no item once the cache evicts what the run has made.
    ///
    /// - Parameters:
    ///   - sink: where they are made; nil for this cache.
    ///   - agrees: called if not all items fit into what is free of the cache's limits: before the first one
    ///     begins if enough is stored to tell, else after the first pictures. Returns whether the run continues.
    /// - Throws: ``Failure`` if a list can't be read, a source has no credentials or the store
    ///   is unusable; `CancellationError`; what `report` and the sink throw.
    package func run(
        _ request: WarmRequest, _ monitor: WarmMonitor? = nil, in sink: (any WarmSink)? = nil,
        report: @escaping @Sendable (WarmedItem) async throws -> Void = { _ in },
        agrees: @escaping @Sendable (WarmShortage) async -> Bool = { _ in true }
    ) async throws -> WarmSummary {
        let monitor = monitor ?? self.monitor(request)
        running.add(monitor)
        defer { running.remove(monitor) }
        let sink: any WarmSink =
            if let sink { sink } else { try await warmer(request, agrees) }
        // The calls of the list are the run's, too.
        try await monitor.counting {
            try await items(of: request) { items in
                monitor.begin(items)
                try await sink.make(items, monitor, report: report)
            }
        }
        var summary = monitor.summary
        summary.forecast = try await forecast(of: request)
        return summary
    }

    /// Calls `body` with the items of a request in their order, which are read meanwhile.
    ///
    /// - Throws: ``Failure`` if a list can't be read; what `body` throws; `CancellationError`.
    package func items<Value>(
        of request: WarmRequest, _ body: (WarmItems) async throws -> Value
    ) async throws -> Value {
        try await WarmItems.with(request, of: catalog, body)
    }

    /// Returns what this node was told about items, such as by the page of the list that named them,
    /// so that the nodes that make them don't ask their catalogs again.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource`, and of the kinds of a failed store.
    package func descriptions(of items: [Item]) async throws(Failure) -> [ItemDescription] {
        try await Failure.catching { [self] in
            try await catalog.cache.descriptions(of: items, catalog.sources)
        }
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
        // Items of a list may share a picture, which is made once.
        var seen = SeenItems()
        try await items(of: request) { items in
            for try await item in items {
                let lack = try await pictures.lack(item, request.renditions)
                let need = lack.need.asked(request.again)
                let asked = forecast.originals
                forecast.add(
                    seen.insert(lack.kept) ? need : need.repeated, onlyMissing: request.onlyMissing)
                if samples, forecast.originals > asked { sampling.add(item) }
            }
            forecast.stalePages = items.stalePages
        }
        forecast.sample = await sampling.sample()
        let statistics = try await statistics()
        let meanBytes =
            statistics.originals > 0 ? statistics.originalBytes / statistics.originals : nil
        forecast.estimate(meanBytes: meanBytes, rate: request.rate, rates(of: request))
        let mean = forecast.sample.flatMap { $0.sized > 0 ? $0.meanBytes : nil } ?? meanBytes
        forecast.weigh(
            WarmSizes(statistics, request.renditions, source: request.source),
            orElse: mean.map { WarmSizes(usual: request.renditions, original: Double($0)) },
            disk().free)
        try await store(forecast, of: request)
        return forecast
    }

    /// Returns the last forecast of this request; nil if there was none.
    private func forecast(of request: WarmRequest) async throws(Failure) -> WarmForecast? {
        if request.name.isEmpty { return nil }
        return try await Failure.catching { [self] in
            guard let document = try await index.document(request.forecastKey),
                document.expiresAt > pictures.now()
            else { return nil }
            // What another version wrote says nothing.
            return try? JSONDecoder().decode(WarmForecast.self, from: Data(document.body))
        }
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

    private func store(
        _ forecast: WarmForecast, of request: WarmRequest
    ) async throws(Failure) {
        if request.name.isEmpty { return }
        try await Failure.catching { [self] in
            let now = pictures.now()
            try await index.record(
                documents: [
                    DocumentRecord(
                        key: request.forecastKey, body: Array(try JSONEncoder().encode(forecast)),
                        fetchedAt: now, expiresAt: now.addingTimeInterval(Self.memory))
                ])
        }
    }

    private func warmer(
        _ request: WarmRequest, _ agrees: @escaping @Sendable (WarmShortage) async -> Bool
    ) async throws(Failure) -> Warmer {
        Warmer(
            request: request, pictures: pictures, purge: purge, pins: pins, storage: storage,
            disk: disk,
            sizes: WarmSizes(
                try await statistics(), request.renditions, source: request.source),
            agrees: agrees)
    }

    private func statistics() async throws(Failure) -> IndexStatistics {
        try await Failure.catching { [self] in try await index.statistics() }
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
    private let runs = Mutex<[WarmMonitor]>([])

    /// The first one first.
    package var all: [WarmMonitor] { runs.withLock { $0 } }

    func add(_ monitor: WarmMonitor) { runs.withLock { $0.append(monitor) } }

    func remove(_ monitor: WarmMonitor) { runs.withLock { $0.removeAll { $0 === monitor } } }
}
