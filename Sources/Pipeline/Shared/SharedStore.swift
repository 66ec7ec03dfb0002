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
    /// Marks of items whose pictures are not in the shared store yet are documents of the index, so
    /// that they are written with the pictures and survive a restart.
    static let marks = "upload:"
    /// Documents are removed after they expired.
    private static let markLife: TimeInterval = 10 * 365 * 86_400

    static func mark(_ item: Item) -> String { "\(marks)\(item)" }

    /// Returns the item of a mark.
    static func item(_ mark: DocumentRecord) -> Item? {
        Item(String(mark.key.dropFirst(marks.count)))
    }

    /// Returns the mark to record with pictures of an item; none if too many items wait.
    func marks(_ item: Item) -> [DocumentRecord] {
        guard waiting.add() else {
            metrics.sharedUpload("dropped")
            return []
        }
        let now = now()
        // A new mark differs from the one that an upload under way has read.
        let number = UInt64.random(in: .min ... .max)
        return [
            DocumentRecord(
                key: Self.mark(item), body: Array("\(number)".utf8), fetchedAt: now,
                expiresAt: now.addingTimeInterval(Self.markLife))
        ]
    }

    func forget(_ mark: DocumentRecord?) async throws {
        if let mark { try await index.remove(mark) }
    }
}
