import Catalog
import FoundationEssentials
import Hashing
import Imaging
import Objects
import Store
import Threads

// From this node's cache to the shared store.
extension SharedStore {
    /// Stores the bundles and the reference of an item, and returns when the shared store has
    /// confirmed them. Renders what is missing. Returns the objects that were not there before, and
    /// the bytes that were sent; nil if this node knows nothing of the item, or can't make its
    /// pictures any more.
    ///
    /// - Parameters:
    ///   - read: the item's reference, if the caller has read it before it made the pictures.
    ///   - pictures: those that the caller has in memory.
    /// - Throws: `ObjectError`, and the errors of the stages.
    func upload(
        _ item: Item, _ read: Read? = nil, _ pictures: [Rendition: Picture] = [:]
    ) async throws -> DiskUsage? {
        // Other nodes have other files.
        if sources.folder(item.source) != nil { return nil }
        let keys = keys(of: item)
        let mark = try await index.uploadMark(of: "\(item)")
        let configured = Set(keys.renditions.map(\.level.key))
        let record = try await index.item("\(item)").keeping { level, resolution in
            configured.contains(level) && (resolution.failure.map(Self.isShared) ?? true)
        }
        // What only private caches may keep is not shared.
        if record.resolutions.contains(where: { FreshnessPolicy.isPrivate($0.freshUntil) }) {
            try await forget(mark)
            return nil
        }
        var made: [Digest: (url: String, entries: [PictureBundle.Entry])] = [:]
        for original in record.originals {
            let shown = record.resolutions.filter { $0.original == original }
            guard let url = shown.lazy.compactMap(\.url).first else { continue }
            made[original] = try await make(
                keys.renditions, of: original, at: url, for: item, pictures
            ).map { (url, $0) }
        }
        // From here on, a purge on this machine waits. One that came before has removed the rows.
        let claim = try await index.claims.claim(Self.claim(item))
        defer { withExtendedLifetime(claim) {} }
        guard try await shows(item, some: record) else {
            try await forget(mark)
            return nil
        }
        var upload = DiskUsage()
        var reference = ItemReference(record)
        reference.record.resolutions.removeAll { $0.original != nil }
        for original in record.originals.sorted() {
            guard let (url, entries) = made[original] else { continue }
            let shown = record.resolutions.filter { $0.original == original }
            let bundle = try await put(
                entries, of: original, keys.bundle(original), recipe: keys.recipe, &upload)
            for record in try await singles(of: original, keys) {
                guard let entry = try await entry(record.record, record.rendition, pictures) else {
                    continue
                }
                _ = try await put(
                    [entry], of: original, keys.single(original, record.rendition),
                    recipe: keys.recipe(of: record.rendition), &upload)
            }
            var facts = try await facts(of: original, at: url, shown)
            facts.bundles[keys.recipe] = bundle
            reference.originals.append(facts)
            for resolution in shown { reference.record.set(resolution) }
        }
        if reference.record.resolutions.isEmpty {
            try await forget(mark)
            return nil
        }
        reference.details = try await catalog.storedDetails(of: [item])[item]?.document
        try await put(reference, of: item, read, &upload)
        // A purge by another node, or one that did not wait, has not found all of this.
        guard try await shows(item, some: record) else {
            try await remove(item, record.originals)
            try await forget(mark)
            return nil
        }
        try await forget(mark)
        return upload
    }

    /// Returns whether one of an item's levels still shows the same. A refresh may have changed some, a purge
    /// removes all, and what is blocked shows nothing.
    private func shows(_ item: Item, some record: ItemRecord) async throws -> Bool {
        let blocks = originals.blocks
        try await blocks.follow()
        guard blocks.block(of: item) == nil,
            record.originals.allSatisfy({ blocks.failure(of: $0) == nil }),
            record.resolutions.allSatisfy({ blocks.failure(ofURL: $0.url) == nil })
        else { return false }
        let known = try await index.item("\(item)")
        return record.resolutions.contains { resolution in
            resolution.levels.contains { level in
                known.resolution(of: level).map { $0.original == resolution.original } ?? false
            }
        }
    }

    /// Returns whether other nodes should know of a failure: the source or the picture is at fault,
    /// and not this node's network.
    private static func isShared(_ failure: FailureRecord) -> Bool {
        switch Failure(failure)?.kind {
        case .absent, .rejected: true
        default: false
        }
    }

    private func facts(
        of original: Digest, at url: String, _ shown: [ItemRecord.Resolution]
    ) async throws -> ItemReference.Original {
        let summary = try await index.summary(of: original)
        if let known = try await index.original(url: url), known.digest == original {
            return .init(known, original, summary)
        }
        // The URL has another picture now, or its row has expired.
        let record = OriginalRecord(
            url: url, width: summary?.width ?? 0, height: summary?.height ?? 0,
            fetchedAt: shown.map(\.resolvedAt).max() ?? now(),
            freshUntil: shown.map(\.freshUntil).min() ?? now())
        return .init(record, original, summary)
    }

    /// Writes the reference together with what other nodes wrote.
    private func put(
        _ own: ItemReference, of item: Item, _ read: Read?, _ upload: inout DiskUsage
    ) async throws {
        let key = SharedKeys.reference(item)
        var reference = own
        if let read, read.bytes == nil, objects.keepsExisting {
            let object = try Self.object(reference)
            if try await objects.put(object, key, .ifAbsent) == .stored {
                return count(object, isNew: true, &upload)
            }
        }
        let stored = try await self.read(item)
        let known = stored.reference
        if var known {
            if let purged = try await voids.date(of: item, objects) {
                known.remove(purgedAt: purged, now: now())
            }
            reference.merge(known)
        }
        guard reference != known else { return }
        let object = try Self.object(reference)
        _ = try await objects.put(object, key, .always)
        count(object, isNew: stored.bytes == nil, &upload)
    }

    private static func object(_ reference: ItemReference) throws -> StoredObject {
        StoredObject(
            try reference.encoded(), contentType: "application/json", cacheControl: "no-cache")
    }

    private func count(_ object: StoredObject, isNew: Bool, _ upload: inout DiskUsage) {
        upload += DiskUsage(bytes: object.bytes.count, files: isNew ? 1 : 0)
        metrics.sharedBytes("sent", object.bytes.count)
    }

    private func put(
        _ entries: [PictureBundle.Entry], of original: Digest, _ key: String, recipe: String,
        _ upload: inout DiskUsage
    ) async throws -> ItemReference.Bundle {
        let bundle = PictureBundle(original: original, recipe: recipe, entries: entries)
        let object = StoredObject(bundle.encoded(), cacheControl: StoredObject.forever)
        if try await objects.put(object, once: key) == .stored {
            count(object, isNew: true, &upload)
        }
        return .init(byteCount: object.bytes.count, sha256: object.sha256)
    }

    /// Returns thumbnails of an original in their order, after it rendered those that are not
    /// stored; nil if the original is gone and its origin doesn't give the same one any more.
    private func make(
        _ renditions: [Rendition], of original: Digest, at url: String, for item: Item,
        _ pictures: [Rendition: Picture]
    ) async throws -> [PictureBundle.Entry]? {
        for _ in 0..<2 {
            var entries: [PictureBundle.Entry] = []
            var records: [ThumbnailKey: ThumbnailRecord] = [:]
            for record in try await index.thumbnails(of: original) { records[record.key] = record }
            for rendition in renditions {
                guard let record = records[thumbnails.key(original, rendition)],
                    let entry = try await entry(record, rendition, pictures)
                else { break }
                entries.append(entry)
            }
            if entries.count == renditions.count { return entries }
            guard try await render(renditions, of: original, at: url, for: item) else { return nil }
        }
        return nil
    }

    private func entry(
        _ record: ThumbnailRecord, _ rendition: Rendition, _ pictures: [Rendition: Picture]
    ) async throws -> PictureBundle.Entry? {
        let digest = record.facts.digest
        let picture = pictures[rendition].flatMap { $0.facts.digest == digest ? $0 : nil }
        let bytes =
            if let picture { picture.bytes } else {
                try await thumbnails.blobs.load(digest)
            }
        guard let bytes else { return nil }
        return PictureBundle.Entry(
            name: SharedKeys.name(rendition), width: record.facts.width,
            height: record.facts.height, digest: digest, bytes: bytes)
    }

    /// Renders and stores what is missing. Returns false if the original can't be had any more.
    private func render(
        _ renditions: [Rendition], of original: Digest, at url: String, for item: Item
    ) async throws -> Bool {
        var missing = try await thumbnails.missing(of: original, among: Set(renditions))
        // Blobs may be gone although the index names them.
        if missing.isEmpty { missing = renditions }
        guard let held = try await held(original, at: url, for: item) else { return false }
        // The bytes keep their reservation in the budget until they are rendered.
        defer { withExtendedLifetime(held.hold) {} }
        let rendering: Rendering
        do {
            rendering = try await renders.render(
                original, held.bytes, missing, for: .item(item),
                known: try await index.quarantined(original), urgency: Urgency())
        } catch let error as ImagingError where error.rejection != nil {
            return false
        }
        let made = thumbnails.pictures(
            rendering.thumbnails, freshUntil: .distantPast, failure: nil)
        let records = try await thumbnails.store(made, of: original)
        try await index.record(
            summaries: [SummaryRecord(rendering.summary, of: original)], thumbnails: records)
        return true
    }

    /// Returns the bytes of an original, from this node or from its origin.
    private func held(
        _ original: Digest, at url: String, for item: Item
    ) async throws -> HeldBytes? {
        let stored = Original(
            digest: original, record: OriginalRecord(url: url, fetchedAt: now(), freshUntil: now()),
            provenance: .stored, note: "stored")
        if sources.bucket(item.source) != nil { return try await buckets.bytes(of: stored, item) }
        if let held = try await originals.bytes(of: stored, item) { return held }
        let source = try sources.source(of: item)
        guard
            case .original(let fetched) = try await originals.acquire(
                url, hosts: source.imageHosts, fields: source.fields(forPicture: url),
                plainIsInside: source.plainIsInside, again: true),
            fetched.digest == original
        else { return nil }
        return try await originals.bytes(of: fetched, item)
    }

    /// Returns the stored thumbnails in the present recipe that no bundle has.
    private func singles(
        of original: Digest, _ keys: SharedKeys
    ) async throws -> [(rendition: Rendition, record: ThumbnailRecord)] {
        let bundled = Set(keys.renditions)
        let levels = keys.renditions.map(\.level)
        let others = Set(levels).flatMap { level in
            ThumbnailFormat.allCases.map { Rendition(level: level, format: $0) }
        }.filter { !bundled.contains($0) }
        let byKey = Dictionary(
            others.map { (thumbnails.key(original, $0), $0) },
            uniquingKeysWith: { first, _ in first })
        return try await index.thumbnails(of: original).compactMap { record in
            byKey[record.key].map { ($0, record) }
        }
    }
}
