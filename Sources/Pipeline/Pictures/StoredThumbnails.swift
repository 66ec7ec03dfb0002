import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Store

/// The thumbnails on disk: each item's original, and the thumbnails rendered from it.
struct StoredThumbnails: Sendable {
    let blobs: BlobStore
    let index: Index
    let editions: Editions
    let blocks: Blocks
    let freshness: FreshnessPolicy
    let now: @Sendable () -> Date

    /// Returns the key of a thumbnail, which says how it is made.
    func key(_ original: Digest, _ rendition: Rendition) -> ThumbnailKey {
        ThumbnailKey(
            original: original, level: rendition.level.key, format: rendition.format.rawValue,
            recipe: editions.current.renderer.recipe(for: rendition))
    }

    /// Returns the stored thumbnail, the placeholder of a remembered failure, or nil if neither is
    /// stored.
    ///
    /// - Parameter current: the original that it must show; nil for any.
    func picture(_ key: PictureKey, of current: Digest? = nil) async throws -> Picture? {
        guard let known = try await resolution(of: key.item, key.rendition.level) else {
            return nil
        }
        guard let original = known.original else {
            guard let failure = known.failure, current == nil else { return nil }
            return try await placeholder(key.rendition, failure)
        }
        guard current == nil || current == original,
            let thumbnail = try await index.thumbnail(self.key(original, key.rendition)),
            let bytes = try await blobs.load(thumbnail.facts.digest)
        else { return nil }
        return Picture(thumbnail, key.rendition.format, known, bytes)
    }

    /// Returns what is believed of an item at a level; nil if it was never resolved for it.
    func resolution(of item: Item, _ level: Level) async throws -> BelievedResolution? {
        try await index.item("\(item)").resolution(of: level.key)?.believed(freshness, at: now())
            .unlessBlocked(blocks)
    }

    func placeholder(_ rendition: Rendition, _ failure: Failure) async throws -> Picture {
        try await editions.current.placeholder(rendition, failure)
    }

    /// Returns which of the wanted thumbnails have to be rendered.
    func missing(
        of original: Digest, among wanted: Set<Rendition>, _ stored: [ThumbnailRecord],
        _ summary: SummaryRecord?
    ) async throws -> [Rendition] {
        let missing = try await missing(of: original, among: wanted, stored)
        // Caches of old versions have no summaries. Rendering one small thumbnail makes them.
        guard missing.isEmpty, summary == nil else { return missing }
        return [wanted.min { $0.level.width < $1.level.width }].compactMap(\.self)
    }

    /// Returns which of the wanted thumbnails of an original are not stored.
    func missing(of original: Digest, among wanted: Set<Rendition>) async throws -> [Rendition] {
        try await missing(of: original, among: wanted, try await index.thumbnails(of: original))
    }

    private func missing(
        of original: Digest, among wanted: Set<Rendition>, _ stored: [ThumbnailRecord]
    ) async throws -> [Rendition] {
        var missing: [Rendition] = []
        for rendition in wanted {
            let key = key(original, rendition)
            if let known = stored.first(where: { $0.key == key }),
                try await blobs.contains(known.facts.digest)
            {
                continue
            }
            missing.append(rendition)
        }
        return missing
    }

    /// Returns the keys of an item's levels that are fresh and stored, made from another original than
    /// this one.
    func freshLevels(
        of item: ItemRecord, besides original: Digest
    ) async throws -> Set<String> {
        var fresh: Set<String> = []
        for resolution in item.resolutions where resolution.failure == nil {
            guard let other = resolution.original, other != original,
                resolution.believed(freshness, at: now()).freshUntil > now()
            else { continue }
            let made = Set(try await index.thumbnails(of: other).map(\.key.level))
            fresh.formUnion(made.intersection(resolution.levels))
        }
        return fresh
    }

    /// Returns the pictures of thumbnails that were rendered now.
    func pictures(
        _ thumbnails: [Thumbnail], freshUntil: Date, failure: Failure?
    ) -> [Rendition: Picture] {
        let at = now()
        return Dictionary(
            thumbnails.map { thumbnail in
                let picture = Picture(
                    facts: PictureFacts(thumbnail, renderedAt: at), bytes: thumbnail.bytes,
                    format: thumbnail.rendition.format,
                    freshUntil: freshness.believed(freshUntil, since: at, now: at),
                    isPrivate: FreshnessPolicy.isPrivate(freshUntil), failure: failure,
                    isPlaceholder: false)
                return (thumbnail.rendition, picture)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Stores the bytes of pictures. Returns their records, which are not in the index yet.
    ///
    /// - Parameter unstored: the original, if it is to be stored with them.
    func store(
        _ pictures: [Rendition: Picture], of original: Digest, with unstored: HashedBytes? = nil
    ) async throws -> [ThumbnailRecord] {
        let blobs = pictures.values.map { HashedBytes(digest: $0.facts.digest, bytes: $0.bytes) }
        try await self.blobs.keep([unstored].compactMap(\.self) + blobs)
        return pictures.map { rendition, picture in
            ThumbnailRecord(key(original, rendition), picture.facts)
        }
    }
}

extension PictureFacts {
    init(_ thumbnail: Thumbnail, renderedAt: Date) {
        self.init(
            digest: Digest(of: thumbnail.bytes), byteCount: thumbnail.bytes.count,
            width: thumbnail.width, height: thumbnail.height, renderedAt: renderedAt)
    }
}

extension SummaryRecord {
    init(_ summary: PictureSummary, of original: Digest) {
        self.init(
            original: original, thumbHash: summary.thumbHash, color: summary.color.hex,
            width: summary.width, height: summary.height)
    }
}

extension PictureSummary {
    /// Returns nil if the stored color is invalid.
    init?(_ record: SummaryRecord) {
        guard let color = RGB(hex: record.color) else { return nil }
        self.init(
            thumbHash: record.thumbHash, color: color, width: record.width,
            height: record.height)
    }
}

extension Level {
    /// Name, box, and whether tiles have the box's shape. A level that was reconfigured is a different
    /// one. Gravity, and a ground in place of a crop, are parts of the recipe.
    var key: String {
        switch fit {
        case .contain: "\(name):\(width)x\(height)"
        case .cover, .ground: "\(name):\(width)x\(height)c"
        }
    }
}
