import Catalog
import FoundationEssentials
import Imaging
import Store

/// Moves pictures between this node's cache and the shared store.
///
/// The shared store has what every node can use: a bundle of all thumbnails of an original, and a
/// reference for each item. Everything that this node knows beyond that is its own.
struct SharedStore: Sendable {
    let objects: SharedObjects
    let editions: Editions
    let thumbnails: StoredThumbnails
    let originals: Originals
    let renders: Renders
    let catalog: CatalogCache
    let waiting: WaitingUploads
    let voids: Voids
    /// Purges of an item exclude its uploads, which have the claims of the index. These are others, so that
    /// they do so within a process, too.
    let purges: Claims
    let metrics: PipelineMetrics
    let now: @Sendable () -> Date

    var index: Index { thumbnails.index }

    var sources: Sources { editions.current.sources }

    /// The keys of pictures that may be cropped.
    var keys: SharedKeys { keys(isUncropped: false) }

    /// Returns the keys of an item's pictures.
    func keys(of item: Item) -> SharedKeys {
        keys(isUncropped: sources.isUncropped(item.source))
    }

    private func keys(isUncropped: Bool) -> SharedKeys {
        let edition = editions.current
        let levels = edition.configuration.levels
        return SharedKeys(
            levels: isUncropped ? levels.map(\.uncropped) : levels,
            formats: edition.configuration.warm.formats, edition.renderer)
    }
}

// MARK: - Marks

extension SharedStore {
    /// Marks an item whose pictures are recorded next for its upload, so that the mark is written with them
    /// and survives a restart. Does nothing if too many items wait.
    func mark(_ record: inout ItemRecord) {
        guard waiting.add() else { return metrics.sharedUpload("dropped") }
        record.uploadSince = now()
    }

    func forget(_ mark: UploadMark?) async throws {
        if let mark { try await index.remove(mark) }
    }
}
