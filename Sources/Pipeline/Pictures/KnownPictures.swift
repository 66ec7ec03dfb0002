import Catalog

/// Pictures that are in memory or on disk.
struct KnownPictures: Sendable {
    let context: MissContext

    /// Returns the thumbnail from memory, or from disk into memory, or nil if none is stored.
    func picture(_ key: PictureKey) async throws -> Picture? {
        let (memory, now) = (context.memory, context.now())
        let hit = memory.hit(key)
        let folder = context.folders.folder(of: key.item)
        if let hit, hit.isCredible(at: now),
            folder == nil || !hit.wantsRefresh(at: now) && context.folders.mayKeep(key.item)
        {
            return hit.picture
        }
        let epoch = memory.epoch(of: key.item)
        guard
            let picture = try await folder == nil
                ? context.thumbnails.picture(key) : ofFile(key, folder)
        else { return nil }
        memory.insert(picture, key, since: epoch, replacing: hit)
        return picture
    }

    /// Returns the stored thumbnail if its file is as it was then.
    private func ofFile(_ key: PictureKey, _ folder: FolderSource?) async throws -> Picture? {
        switch try await context.folders.state(of: key.item) {
        case .unchanged(let digest)?:
            guard var picture = try await context.thumbnails.picture(key, of: digest) else {
                return nil
            }
            if let folder, picture.failure == nil {
                picture.freshUntil = max(
                    picture.freshUntil, context.folders.freshUntil(folder))
            }
            return picture
        case .rejected?: return try await context.thumbnails.picture(key)
        case .changed?, nil: return nil
        }
    }
}
