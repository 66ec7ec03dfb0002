package import Catalog
package import Imaging
import Store

/// An item's details as they are answered.
package struct DetailsAnswer: Sendable {
    package var details: ItemDetails
    package var isStale: Bool
}

/// Size of a stored thumbnail.
package struct ThumbnailSize: Sendable, Equatable {
    package var level: Level
    package var width: Int
    package var height: Int
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
    package func page(_ query: ListQuery) async throws(PipelineError) -> PageAnswer {
        try await PipelineError.door { [self] in
            try await stages.catalog.page(query, source: try sources.named(query.source))
        }
    }

    /// One item's details, complete: fresh, or stale where its source can't be asked.
    package func details(of item: Item) async throws(PipelineError) -> DetailsAnswer {
        try await PipelineError.door { [self] in
            let answer = try await stages.catalog.details(
                of: item, source: try sources.source(of: item), complete: true)
            return DetailsAnswer(details: answer.document.value, isStale: answer.isStale)
        }
    }

    /// Sizes of the thumbnails of an item that are stored, smallest first; in any format.
    package func storedSizes(of item: Item) async throws(PipelineError) -> [ThumbnailSize] {
        try await PipelineError.door { [self] in
            let bindings = try await stages.index.bindings(item: item.description)
            var sizes: [ThumbnailSize] = []
            for level in configuration.levels {
                guard
                    let original = bindings.first(where: { $0.level == level.key })?.original,
                    let known = try await stages.index.thumbnails(of: original)
                        .first(where: { $0.key.level == level.key })
                else { continue }
                sizes.append(
                    ThumbnailSize(level: level, width: known.width, height: known.height))
            }
            return sizes
        }
    }
}
