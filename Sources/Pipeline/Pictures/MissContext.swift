import Catalog
import FoundationEssentials
import Store

/// What every miss works with, and where pictures are looked up before one begins.
struct MissContext: Sendable {
    let editions: Editions
    let catalog: CatalogCache
    let originals: Originals
    let folders: FolderOriginals
    let renders: Renders
    let thumbnails: StoredThumbnails
    let memory: HitMemory
    let blocks: Blocks
    /// Nil without a shared store.
    let shared: SharedStore?
    let now: @Sendable () -> Date

    var sources: Sources { editions.current.sources }

    // MARK: - Pictures in memory or on disk

    /// Returns the thumbnail if it is in memory and can be believed; never waits.
    func pictureInMemory(_ key: PictureKey) -> Picture? {
        memory.hit(key).flatMap { isBelieved($0, key) ? $0.picture : nil }
    }

    private func isBelieved(_ hit: Hit, _ key: PictureKey) -> Bool {
        let now = now()
        guard hit.isCredible(at: now) else { return false }
        return folders.folder(of: key.item) == nil
            || !hit.wantsRefresh(at: now) && folders.mayKeep(key.item)
    }

    /// Returns the thumbnail from memory, or from disk into memory, or nil if none is stored.
    func picture(_ key: PictureKey) async throws -> Picture? {
        let hit = memory.hit(key)
        if let hit, isBelieved(hit, key) { return hit.picture }
        let folder = folders.folder(of: key.item)
        let epoch = memory.epoch(of: key.item)
        guard
            let picture = try await folder == nil
                ? thumbnails.picture(key) : ofFile(key, folder)
        else { return nil }
        memory.insert(picture, key, since: epoch, replacing: hit)
        return picture
    }

    /// Returns the stored thumbnail if its file is as it was then.
    private func ofFile(_ key: PictureKey, _ folder: FolderSource?) async throws -> Picture? {
        switch try await folders.state(of: key.item) {
        case .unchanged(let digest)?:
            guard var picture = try await thumbnails.picture(key, of: digest) else {
                return nil
            }
            if let folder, picture.failure == nil {
                picture.freshUntil = max(picture.freshUntil, folders.freshUntil(folder))
            }
            return picture
        case .rejected?: return try await thumbnails.picture(key)
        case .changed?, nil: return nil
        }
    }
}
