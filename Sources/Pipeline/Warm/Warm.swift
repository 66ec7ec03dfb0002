import Catalog
import Imaging
import Store

/// Fills the cache before requests do.
package struct Warm: Sendable {
    let pictures: Pictures
    let catalog: CatalogReader
    /// Returns the state of the store.
    let storage: @Sendable () -> StoreStatus

    private var thumbnails: StoredThumbnails { pictures.thumbnails }

    /// Warms the items of a request. `report` is called for each. On cancellation the items in
    /// flight end first.
    ///
    /// - Throws: ``Failure`` if a list can't be read, a source has no credentials or the store
    ///   is unusable; `CancellationError`.
    package func run(
        _ request: WarmRequest, report: @escaping @Sendable (WarmProgress) -> Void
    ) async throws -> WarmSummary {
        let items = WarmItems(request.scope, limit: request.limit, of: catalog)
        let warmer = warmer(renditions: request.renditions, concurrency: request.concurrency)
        return try await warmer.run(items) { item, summary in
            report(WarmProgress(item: item, summary: summary, total: items.total))
        }
    }

    func warmer(renditions: Set<Rendition>, concurrency: Int) -> Warmer {
        Warmer(
            pictures, renditions: renditions, concurrency: concurrency, storage: storage)
    }

    /// Returns what ``run(_:report:)`` would do. Reads lists, but no pictures.
    ///
    /// - Throws: ``Failure`` if a list can't be read, a source has no credentials or the store is
    ///   unusable; `CancellationError`.
    package func forecast(_ request: WarmRequest) async throws -> WarmForecast {
        var forecast = WarmForecast()
        for try await item in WarmItems(request.scope, limit: request.limit, of: catalog) {
            let missing = try await missing(item, request.renditions)
            forecast.items += 1
            forecast.cold += missing.isEmpty ? 0 : 1
            forecast.thumbnails += missing.count
        }
        forecast.bytes = try await meanOriginalBytes().map { $0 * forecast.cold }
        return forecast
    }

    /// Returns the renditions that a warm run would make. A remembered failure needs none.
    private func missing(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(Failure) -> Set<Rendition> {
        try await Failure.catching { [self] in
            let bindings = try await thumbnails.index.bindings(item: item.description)
            var missing: Set<Rendition> = []
            for rendition in renditions {
                guard let binding = bindings.first(where: { $0.level == rendition.level.key }),
                    thumbnails.freshness.believed(
                        binding.freshUntil, since: binding.resolvedAt, now: thumbnails.now())
                        > thumbnails.now()
                else {
                    missing.insert(rendition)
                    continue
                }
                guard let original = binding.original else { continue }
                let key = thumbnails.key(original, rendition)
                if try await thumbnails.index.thumbnail(key) == nil { missing.insert(rendition) }
            }
            return missing
        }
    }

    /// Returns the mean size of the stored originals; `nil` if none is stored.
    private func meanOriginalBytes() async throws(Failure) -> Int? {
        try await Failure.catching { [self] in
            let statistics = try await thumbnails.index.statistics()
            guard statistics.originals > 0 else { return nil }
            return statistics.originalBytes / statistics.originals
        }
    }
}
