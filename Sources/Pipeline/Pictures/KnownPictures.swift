import Catalog

/// Pictures that are in memory or on disk.
struct KnownPictures: Sendable {
    let context: MissContext

    /// Returns the thumbnail if it is in memory and can be believed; never waits.
    func inMemory(_ key: PictureKey) -> Picture? {
        context.memory.hit(key).flatMap { isBelieved($0, key) ? $0.picture : nil }
    }

    private func isBelieved(_ hit: Hit, _ key: PictureKey) -> Bool {
        let now = context.now()
        guard hit.isCredible(at: now) else { return false }
        return context.folders.folder(of: key.item) == nil
            || !hit.wantsRefresh(at: now) && context.folders.mayKeep(key.item)
    }

    /// Returns the thumbnail from memory, or from disk into memory, or nil if none is stored.
    func picture(_ key: PictureKey) async throws -> Picture? {
        let memory = context.memory
        let hit = memory.hit(key)
        if let hit, isBelieved(hit, key) { return hit.picture }
        let folder = context.folders.folder(of: key.item)
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
