package import Catalog
package import Imaging
import Store

/// An item's details as they are answered.
package struct DetailsAnswer: Sendable {
    package var details: ItemDetails
    package var outcome: CacheOutcome

    package var isStale: Bool { outcome == .stale }
}

/// Size of a stored thumbnail.
package struct ThumbnailSize: Sendable, Equatable {
    package var level: Level
    package var width: Int
    package var height: Int
}

/// What is stored of an item's picture.
package struct ShownPicture: Sendable, Equatable {
    /// Of the thumbnails in any format, smallest level first.
    package var sizes: [ThumbnailSize] = []
    package var summary: PictureSummary?

    package init() {}
}

extension MediaPipeline {
    /// Checks a list's name and parameters.
    package func query(
        source: String, list: String, parameters: [String: String]
    ) throws(PipelineError) -> ListQuery {
        let source = try sources.named(source)
        do throws(CatalogError) {
            return try source.query(list: list, parameters: parameters)
        } catch {
            throw .catalog(error)
        }
    }

    /// One page of a list: fresh, or stale where its source can't be asked.
    ///
    /// A client is not kept waiting while an old page is stored, and the next page is fetched behind
    /// its back, before it is asked for.
    package func page(
        _ query: ListQuery, forClient: Bool = false
    ) async throws(PipelineError) -> PageAnswer {
        try await PipelineError.door { [self] in
            let source = try sources.named(query.source)
            let page =
                stages.catalog.isAtHand(query)
                ? try await stages.catalog.page(query, source: source, soon: forClient)
                : try await admissions.lookups.run(.init(source: query.source)) {
                    try await stages.catalog.page(query, source: source, soon: forClient)
                }
            if forClient, let next = page.next, !page.isStale {
                // Unstructured, because the answer does not wait for it; what goes wrong is told to
                // whoever asks for that page.
                Task { [stages] in try? await stages.catalog.prefetch(next, source: source) }
            }
            return page
        }
    }

    /// One item's details, complete: fresh, or stale where its source can't be asked.
    package func details(of item: Item) async throws(PipelineError) -> DetailsAnswer {
        try await PipelineError.door { [self] in
            let source = try sources.source(of: item)
            let answer =
                stages.catalog.isAtHand(item)
                ? try await stages.catalog.detailsSoon(of: item, source: source)
                : try await admissions.lookups.run(.init(item)) {
                    try await stages.catalog.detailsSoon(of: item, source: source)
                }
            return DetailsAnswer(details: answer.document.value, outcome: answer.outcome)
        }
    }

    /// What is stored of items, by one query however many they are; nothing of those without a
    /// thumbnail.
    package func shown(_ items: [Item]) async throws(PipelineError) -> [Item: ShownPicture] {
        try await PipelineError.door { [self] in
            let records = Dictionary(
                grouping: try await stages.index.shown(items: items.map(\.description)),
                by: \.item)
            var shown: [Item: ShownPicture] = [:]
            for item in items {
                guard let known = records[item.description] else { continue }
                var picture = ShownPicture()
                for level in configuration.levels {
                    guard let record = known.first(where: { $0.level == level.key }) else {
                        continue
                    }
                    picture.sizes.append(
                        ThumbnailSize(level: level, width: record.width, height: record.height))
                    // Levels may show different originals; that of the largest is the best.
                    picture.summary =
                        record.summary.flatMap(PictureSummary.init) ?? picture.summary
                }
                shown[item] = picture
            }
            return shown
        }
    }
}
