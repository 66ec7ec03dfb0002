import Catalog
import FoundationEssentials
import Store

/// What every miss works with.
struct MissContext: Sendable {
    let editions: Editions
    let catalog: CatalogCache
    let originals: Originals
    let folders: FolderOriginals
    let renders: Renders
    let thumbnails: StoredThumbnails
    let memory: HitMemory
    let claims: Claims
    /// Nil without a shared store.
    let shared: SharedStore?
    /// Bounds the steps of one chain.
    let maxSteps: Int
    let now: @Sendable () -> Date

    var sources: Sources { editions.current.sources }
}
