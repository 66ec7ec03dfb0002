import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Objects
import Store

extension SharedStore {
    /// What the shared store had under the key of an item's reference.
    struct Read: Sendable {
        var item: Item
        /// Nil if there was none.
        var bytes: [UInt8]?
    }

    /// The answer that a worker has for its item. The work below it doesn't ask the store again.
    @TaskLocal static var read: Read?

    /// - Throws: `ObjectError`.
    func read(_ item: Item) async throws -> Read {
        let key = SharedKeys.reference(item)
        return Read(item: item, bytes: try await objects.get(key, limit: ItemReference.maxBytes))
    }
}

// From the shared store into this node's cache.
extension SharedStore {
    /// Puts what the shared store knows of an item into this node's cache, as far as it is newer than
    /// what is there. Returns whether anything was.
    ///
    /// - Parameter needed: the renditions that a caller waits for.
    func restore(_ item: Item, _ needed: Set<Rendition>) async throws -> Bool {
        let own = try await index.item("\(item)")
        guard let reference = try await reference(of: item, needed, own) else { return false }
        // A level that this node resolved later stays, and so does one that it has expired.
        let newer = reference.record.newer(than: own)
        var merged = own
        merged.set(newer)
        var records: [ThumbnailRecord] = []
        var lacking: Set<Digest> = []
        for original in merged.originals.sorted() {
            let shown = merged.resolutions.filter { $0.original == original }
            let wanted = needed.filter { rendition in
                shown.contains { $0.levels.contains(rendition.level.key) }
            }
            if wanted.isEmpty { continue }
            let fetched = try await fetch(
                original, wanted, keys(of: item),
                renderedAt: shown.map(\.resolvedAt).min() ?? now())
            records += fetched.records
            if !fetched.isWhole { lacking.insert(original) }
        }
        let levels = Set(needed.map(\.level.key))
        let complete = newer.keeping { level, resolution in
            !levels.contains(level) || resolution.original.map(lacking.contains) != true
        }
        if complete.resolutions.isEmpty, records.isEmpty {
            metrics.sharedLookup("miss")
            return false
        }
        let kept = complete.originals
        let known = reference.originals.filter { kept.contains($0.digest) }
        try await index.record(
            originals: try await unknown(known.map(\.record)),
            summaries: known.compactMap(\.summary), thumbnails: records, items: [complete],
            documents: try await details(reference, of: item))
        metrics.sharedLookup("hit")
        return true
    }

    /// Returns an item's reference; nil if the shared store has none. If this node knows the originals of
    /// all that is needed, only their thumbnails are missing, and the store is not asked.
    private func reference(
        of item: Item, _ needed: Set<Rendition>, _ own: ItemRecord
    ) async throws -> ItemReference? {
        let now = now()
        let lack = own.lacks(needed, thumbnails.freshness, at: now) { _, _ in true }
        if !lack.asksOrigin, lack.placeholders == 0 { return ItemReference(ItemRecord("\(item)")) }
        let key = SharedKeys.reference(item)
        let reading: SharedObjects.Reading =
            if let read = Self.read, read.item == item {
                read.bytes.map { .found($0) } ?? .missing
            } else {
                try await objects.read(key, limit: ItemReference.maxBytes)
            }
        switch reading {
        case .unavailable:
            metrics.sharedLookup("unavailable")
            return nil
        case .missing:
            metrics.sharedLookup("miss")
            return nil
        case .found(let bytes):
            guard let known = ItemReference(bytes, of: item) else {
                await objects.quarantine(key, bytes, reason: "it is not a reference of its item")
                metrics.sharedLookup("wrong")
                return nil
            }
            var reference = known
            // What was purged since counts as missing.
            if let purged = try await voids.date(of: item, objects) {
                reference.remove(purgedAt: purged, now: now)
            }
            return reference
        }
    }

    /// Brings the thumbnails of an original into this node's cache. Returns their records, which are
    /// not in the index yet, and whether all that are wanted are there now.
    private func fetch(
        _ original: Digest, _ wanted: Set<Rendition>, _ keys: SharedKeys, renderedAt: Date
    ) async throws -> (records: [ThumbnailRecord], isWhole: Bool) {
        let missing = Set(
            try await thumbnails.missing(of: original, among: wanted))
        var records: [ThumbnailRecord] = []
        let bundled = Set(keys.renditions)
        if !missing.isDisjoint(with: bundled) {
            records += try await fetch(
                original, keys.bundle(original), recipe: keys.recipe, keys.renditions, renderedAt)
        }
        for rendition in missing.subtracting(bundled) {
            records += try await fetch(
                original, keys.single(original, rendition),
                recipe: keys.recipe(of: rendition), [rendition], renderedAt)
        }
        let found = Set(records.map(\.key))
        return (
            records, missing.allSatisfy { found.contains(thumbnails.key(original, $0)) }
        )
    }

    private func fetch(
        _ original: Digest, _ key: String, recipe: String, _ renditions: [Rendition],
        _ renderedAt: Date
    ) async throws -> [ThumbnailRecord] {
        guard case .found(let bytes) = try await objects.read(key, limit: PictureBundle.maxBytes)
        else { return [] }
        let bundle: PictureBundle
        do throws(PictureBundle.Damage) {
            bundle = try PictureBundle(bytes, of: original, recipe: recipe)
            guard bundle.entries.map(\.name) == renditions.map(SharedKeys.name) else {
                throw PictureBundle.Damage(reason: "it has other thumbnails")
            }
        } catch {
            await objects.quarantine(key, bytes, reason: error.reason)
            return []
        }
        metrics.sharedBytes("received", bytes.count)
        var records: [ThumbnailRecord] = []
        for (entry, rendition) in zip(bundle.entries, renditions) {
            records.append(
                ThumbnailRecord(
                    thumbnails.key(original, rendition),
                    PictureFacts(
                        digest: try await thumbnails.blobs.keep(entry.bytes),
                        byteCount: entry.bytes.count, width: entry.width, height: entry.height,
                        renderedAt: renderedAt)))
        }
        return records
    }

    /// Returns the records that are newer than this node's own.
    private func unknown(_ records: [OriginalRecord]) async throws -> [OriginalRecord] {
        var unknown: [OriginalRecord] = []
        for record in records {
            let own = try await index.original(url: record.url)
            if own.map({ $0.fetchedAt < record.fetchedAt }) ?? true { unknown.append(record) }
        }
        return unknown
    }

    /// Returns the item's details if they are newer than this node's own.
    private func details(
        _ reference: ItemReference, of item: Item
    ) async throws -> [DocumentRecord] {
        guard let details = reference.details else { return [] }
        let own = try await index.document(CatalogCache.detailsKey(item))
        guard own.map({ $0.fetchedAt < details.fetchedAt }) ?? true else { return [] }
        return [
            DocumentRecord(
                key: CatalogCache.detailsKey(item),
                body: Array(try JSONEncoder().encode(details.value)),
                fetchedAt: details.fetchedAt, expiresAt: details.expiresAt)
        ]
    }
}
