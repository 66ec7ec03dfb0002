import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Objects
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

    // MARK: - Marks

    /// Marks an item whose pictures are recorded next for its upload, so that the mark is written with them
    /// and survives a restart. Does nothing if too many items wait.
    func mark(_ record: inout ItemRecord) {
        guard waiting.add() else { return metrics.sharedUpload("dropped") }
        record.uploadSince = now()
    }

    func forget(_ mark: UploadMark?) async throws {
        if let mark { try await index.remove(mark) }
    }

    /// What the shared store had under the key of an item's reference.
    struct Read: Sendable {
        var item: Item
        /// Nil if there was none.
        var bytes: [UInt8]?
        /// Nil also if the bytes are not a reference of the item.
        var reference: ItemReference? { bytes.flatMap { ItemReference($0, of: item) } }
    }

    /// The answer that a worker has for its item. The work below it doesn't ask the store again.
    @TaskLocal static var read: Read?

    /// - Throws: `ObjectError`.
    func read(_ item: Item) async throws -> Read {
        let key = SharedKeys.reference(item)
        return Read(item: item, bytes: try await objects.get(key, limit: ItemReference.maxBytes))
    }

    // From the shared store into this node's cache.

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
                await objects.quarantine(key, bytes, reason: ItemReference.fault(of: bytes))
                metrics.sharedLookup("wrong")
                return nil
            }
            var reference = known
            // What was purged since counts as missing.
            let purged = try await voids.date(of: item, objects)
            reference.remove(purgedAt: purged ?? .distantPast, now: now)
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

    /// Removes pictures from the shared store, so that no node gets them from there.
    ///
    /// Returns a claim for an item, without which no process of this machine uploads it: hold it until the rows of
    /// the item are gone. Nil for other scopes, and if an upload takes longer than
    /// ``SharedPolicy/purgePatience``.
    ///
    /// - Throws: `ObjectError` if the shared store can't be reached. The purge is not done then.
    func purge(_ scope: PurgeScope) async throws -> Claims.Claim? {
        switch scope {
        case .source(let name): try await voids.add(name, at: now(), objects)
        case .all: try await voids.add(nil, at: now(), objects)
        case .item(let item):
            let claim = try await index.purgeClaims.claim(
                Self.claim(item),
                patience: editions.current.configuration.shared.purgePatience)
            try await remove(item, try await index.item("\(item)").originals)
            return claim
        }
        return nil
    }

    /// The key of the claim that uploads and purges of an item take.
    static func claim(_ item: Item) -> String { "upload:\(item)" }

    /// Removes the reference of an item, and the pictures of its originals in every recipe.
    ///
    /// - Parameter known: originals that the reference needn't name.
    func remove(_ item: Item, _ known: Set<Digest>) async throws {
        var originals = known
        let read = try await read(item)
        if read.bytes != nil {
            originals.formUnion(read.reference?.originals.map(\.digest) ?? [])
            // First, so that no reader finds a reference without its bundle.
            try await objects.delete(SharedKeys.reference(item))
        }
        if originals.isEmpty { return }
        for recipe in try await recipes() {
            for original in originals.sorted() {
                // The bundle, or the picture in one level and format.
                let all = keys.bundle(original, recipe: recipe)
                for entry in try await objects.list(all, after: nil).entries {
                    try await objects.delete(entry.key)
                }
            }
        }
    }

    /// Removes what an upload that began before a purge has put into the shared store since: one of another
    /// node, or one for which the purge did not wait. Call it after this node's cache was purged: an upload that
    /// ends later finds that itself, see ``upload(_:_:_:)``.
    ///
    /// - Parameter dropped: what this node showed of the item before. A purge by another node must not
    ///   remove what was made since, so only a reference that has some of this is removed.
    func removeLate(_ item: Item, _ dropped: ItemRecord, isLocal: Bool) async throws {
        guard !dropped.resolutions.isEmpty || !isLocal else { return }
        let read = try await read(item)
        guard read.bytes != nil, !isLocal || read.reference?.has(some: dropped) ?? true else {
            return
        }
        try await remove(item, dropped.originals)
    }

    /// Another node has purged the shared store.
    func purged(_ scope: PurgeScope) {
        switch scope {
        case .source, .all: voids.expire()
        // Its reference is gone.
        case .item: break
        }
    }

    /// Removes the references of the other items that showed a purged picture.
    func removeReferences(of items: Set<String>, after scope: PurgeScope) async throws {
        guard case .item(let purged) = scope else { return }
        for item in items.compactMap({ Item($0) }) where item != purged {
            try await objects.delete(SharedKeys.reference(item))
        }
    }

    /// Removes the references of items.
    func removeReferences(of items: Set<String>) async throws {
        for item in items.compactMap({ Item($0) }) {
            try await objects.delete(SharedKeys.reference(item))
        }
    }

    /// Returns the recipes of all bundles, also those of other versions. One LIST for each.
    private func recipes() async throws -> [String] {
        var recipes: [String] = []
        var after: String?
        while let key = try await objects.list(SharedKeys.thumbnails, after: after, limit: 1)
            .entries.first?.key
        {
            let recipe = String(key.split(separator: "/").dropFirst().first ?? "")
            recipes.append(recipe)
            // The first character after the slash: the next key has another recipe.
            after = "\(SharedKeys.thumbnails)\(recipe)0"
        }
        return recipes
    }
}
