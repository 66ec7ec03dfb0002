import Catalog
import Hashing
import Imaging
import Store

extension Pictures {
    /// Returns what a warm run has to do for an item, by the index, and the blobs of the thumbnails
    /// that are stored.
    func need(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(Failure) -> (need: ItemLack, blobs: [Digest]) {
        try await Failure.catching { [self] in
            let item = await pictured(item)
            let record = try await thumbnails.index.item("\(item)")
            return try await need(record, adapted(renditions, to: item))
        }
    }

    /// Returns what a miss of an item would lack, by the index, and the name under which its picture is kept. It
    /// differs from ``need(_:_:)`` for an item that was never resolved: the picture at its URL may be stored
    /// all the same, because another item shows it.
    func lack(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(Failure) -> (need: ItemLack, kept: Item) {
        try await Failure.catching { [self] in
            let item = await pictured(item)
            let wanted = adapted(renditions, to: item)
            var record = try await thumbnails.index.item("\(item)")
            let unknown = Set(wanted.map(\.level.key)).filter { record.resolution(of: $0) == nil }
            if !unknown.isEmpty,
                case .candidate(let first)? = try context.sources.source(of: item)
                    .freeDetails(of: item)?.chain.first,
                let original = try await thumbnails.index.original(url: first.url)
            {
                record.set(resolution(of: unknown, by: original))
            }
            return (try await need(record, wanted).need, item)
        }
    }

    /// Returns what a miss of levels that were never resolved would find out, without asking the origin, by what
    /// is known of the URL.
    private func resolution(
        of levels: Set<String>, by original: OriginalRecord
    ) -> ItemRecord.Resolution {
        let now = now()
        let failure = context.originals.remembered(original).flatMap { $0.until > now ? $0 : nil }
        // If the origin has no picture, the stored one is not shown.
        let isGone = failure?.kind == .absent
        let freshUntil = thumbnails.freshness.believed(
            original.freshUntil, since: original.fetchedAt, now: now)
        return ItemRecord.Resolution(
            levels: levels.sorted(), original: isGone ? nil : original.digest, url: original.url,
            failure: original.failure, trace: nil, resolvedAt: now,
            // The origin is not asked while its failure is remembered.
            freshUntil: max(freshUntil, failure?.until ?? freshUntil))
    }

    private func need(
        _ record: ItemRecord, _ wanted: Set<Rendition>
    ) async throws(StoreError) -> (need: ItemLack, blobs: [Digest]) {
        var stored: [Digest: [ThumbnailKey: Digest]] = [:]
        for original in record.originals {
            for record in try await thumbnails.index.thumbnails(of: original) {
                stored[original, default: [:]][record.key] = record.facts.digest
            }
        }
        var blobs: [Digest] = []
        let need = record.lacks(wanted, thumbnails.freshness, at: now()) { original, rendition in
            guard let blob = stored[original]?[thumbnails.key(original, rendition)] else {
                return false
            }
            blobs.append(blob)
            return true
        }
        return (need, blobs)
    }

    /// Returns whether the files of all these blobs are there.
    func areStored(_ digests: [Digest]) async throws(Failure) -> Bool {
        try await Failure.catching { [self] in
            for digest in digests where try await !thumbnails.blobs.contains(digest) {
                return false
            }
            return true
        }
    }

    /// Returns what is stored of an item's picture; nil if it has none.
    func described(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(Failure) -> WarmedPicture? {
        try await Failure.catching { [self] in
            let item = await pictured(item)
            let renditions = adapted(renditions, to: item)
            let wanted = Set(renditions.map(\.level.key))
            let record = try await thumbnails.index.item("\(item)")
            guard
                let shown = record.resolutions.first(where: {
                    $0.original != nil && !wanted.isDisjoint(with: $0.levels)
                }), let digest = shown.original
            else { return nil }
            var picture = WarmedPicture(digest: digest, thumbnails: [:])
            picture.summary = try await thumbnails.index.summary(of: digest)
                .flatMap(PictureSummary.init)
            if let url = shown.url {
                picture.byteCount = try await thumbnails.index.original(url: url)?.byteCount
            }
            let stored = try await thumbnails.index.thumbnails(of: digest)
            for rendition in renditions {
                let key = thumbnails.key(digest, rendition)
                guard let record = stored.first(where: { $0.key == key }) else { continue }
                let name = "\(rendition.level.name).\(rendition.format.fileExtension)"
                picture.thumbnails[name] = record.facts.digest
            }
            return picture
        }
    }
}
