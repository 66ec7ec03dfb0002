import Catalog
import FoundationEssentials
import Imaging
import Memory
import Objects
import Store

/// Moves pictures between this node's cache and the shared store.
///
/// The shared store has what every node can use: a bundle of all thumbnails of an original, and a
/// reference for each item. Everything that this node knows beyond that is its own.
struct SharedStore: Sendable {
    let objects: SharedObjects
    let keys: SharedKeys
    let thumbnails: StoredThumbnails
    let originals: Originals
    let renders: Renders
    let catalog: CatalogCache
    let sources: Sources
    let waiting: WaitingUploads
    let voids: Voids
    let metrics: PipelineMetrics
    let now: @Sendable () -> Date

    private var index: Index { thumbnails.index }
}

// MARK: - From the shared store

extension SharedStore {
    /// Puts what the shared store knows of an item into this node's cache, as far as it is newer than
    /// what is there. Returns whether anything was.
    ///
    /// - Parameter needed: the renditions that a caller waits for.
    func restore(_ item: Item, _ needed: Set<Rendition>) async throws -> Bool {
        let own = try await thumbnails.bindings(of: item)
        let levels = Set(needed.map(\.level.key))
        guard let reference = try await reference(of: item, levels, own) else { return false }
        let bindings = reference.resolutions.flatMap { resolution in
            resolution.levels.map { resolution.binding($0, of: item.description) }
        }.filter { binding in
            // A level that this node resolved later stays, and so does one that it has expired.
            own.first { $0.level == binding.level }
                .map { $0.resolvedAt < binding.resolvedAt } ?? true
        }
        let believed = bindings + own.filter { own in !bindings.contains { $0.level == own.level } }
        var records: [ThumbnailRecord] = []
        var lacking: Set<Digest> = []
        for original in Set(
            believed.filter { levels.contains($0.level) }.compactMap(\.original)
        ).sorted() {
            let own = believed.filter { $0.original == original }
            let wanted = needed.filter { rendition in
                own.contains { $0.level == rendition.level.key }
            }
            let fetched = try await fetch(
                original, wanted, renderedAt: own.map(\.resolvedAt).min() ?? now())
            records += fetched.records
            if !fetched.isWhole { lacking.insert(original) }
        }
        let complete = bindings.filter { binding in
            guard let original = binding.original else { return true }
            return !levels.contains(binding.level) || !lacking.contains(original)
        }
        if complete.isEmpty, records.isEmpty {
            metrics.sharedLookup("miss")
            return false
        }
        let kept = Set(complete.compactMap(\.original))
        let known = reference.originals.filter { kept.contains($0.digest) }
        try await index.record(
            originals: try await unknown(known.map(\.record)),
            summaries: known.compactMap(\.summary), thumbnails: records, bindings: complete,
            documents: try await details(reference, of: item))
        metrics.sharedLookup("hit")
        return true
    }

    /// Returns an item's reference; nil if there is none. If this node's own bindings are fresh,
    /// only their thumbnails are missing, and the reference is not asked for.
    private func reference(
        of item: Item, _ levels: Set<String>, _ own: [BindingRecord]
    ) async throws -> ItemReference? {
        let now = now()
        let fresh = own.filter {
            $0.original != nil
                && thumbnails.freshness.believed($0.freshUntil, since: $0.resolvedAt, now: now)
                    > now
        }
        if levels.isSubset(of: fresh.map(\.level)) {
            return ItemReference(item: item.description)
        }
        let key = SharedKeys.reference(item)
        switch try await objects.read(key, limit: ItemReference.maxBytes) {
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
                reference.resolutions.removeAll { $0.resolvedAt <= purged }
            }
            return reference
        }
    }

    /// Brings the thumbnails of an original into this node's cache. Returns their records, which are
    /// not in the index yet, and whether all that are wanted are there now.
    private func fetch(
        _ original: Digest, _ wanted: Set<Rendition>, renderedAt: Date
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
                    key: thumbnails.key(original, rendition),
                    digest: try await thumbnails.blobs.keep(entry.bytes),
                    byteCount: entry.bytes.count, width: entry.width, height: entry.height,
                    renderedAt: renderedAt))
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

// MARK: - To the shared store

extension SharedStore {
    /// What an upload did.
    struct Upload: Sendable, Equatable {
        /// Objects that were not there before.
        var stored = 0
        var bytes = 0
    }

    /// Stores the bundles and the reference of an item, and returns when the shared store has
    /// confirmed them. Renders what is missing. Returns nil if this node knows nothing of the item,
    /// or can't make its pictures any more.
    ///
    /// - Throws: `ObjectError`, and the errors of the stages.
    func upload(_ item: Item) async throws -> Upload? {
        let mark = try await index.document(Self.mark(item))
        let configured = Set(keys.renditions.map(\.level.key))
        let bindings = try await thumbnails.bindings(of: item).filter { binding in
            configured.contains(binding.level) && (binding.failure.map(Self.isShared) ?? true)
        }
        var upload = Upload()
        var reference = ItemReference(item: item.description)
        for original in Set(bindings.compactMap(\.original)).sorted() {
            guard let url = bindings.first(where: { $0.original == original })?.url,
                let made = try await make(keys.renditions, of: original, at: url, for: item)
            else { continue }
            let bundle = try await put(
                made, of: original, keys.bundle(original), recipe: keys.recipe, &upload)
            for record in try await singles(of: original) {
                guard let entry = try await entry(record.record, record.rendition) else { continue }
                _ = try await put(
                    [entry], of: original, keys.single(original, record.rendition),
                    recipe: keys.recipe(of: record.rendition), &upload)
            }
            var facts = try await facts(of: original, at: url, bindings)
            facts.bundles[keys.recipe] = bundle
            reference.originals.append(facts)
            reference.resolutions += bindings.filter { $0.original == original }.map { .init($0) }
        }
        reference.resolutions += bindings.filter { $0.original == nil }.map { .init($0) }
        if reference.resolutions.isEmpty {
            try await forget(mark)
            return nil
        }
        if let answer = try await catalog.storedDetails(of: [item])[item]?.document {
            reference.details = .init(
                value: answer.value, fetchedAt: answer.fetchedAt, expiresAt: answer.expiresAt)
        }
        try await put(reference, of: item, &upload)
        try await forget(mark)
        return upload
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
        of original: Digest, at url: String, _ bindings: [BindingRecord]
    ) async throws -> ItemReference.Original {
        let summary = try await index.summary(of: original)
        if let known = try await index.original(url: url), known.digest == original {
            return .init(known, original, summary)
        }
        // The URL has another picture now, or its row has expired.
        let times = bindings.filter { $0.original == original }
        let record = OriginalRecord(
            url: url, fetchedAt: times.map(\.resolvedAt).max() ?? now(),
            freshUntil: times.map(\.freshUntil).min() ?? now())
        return .init(record, original, summary)
    }

    /// Writes the reference together with what other nodes wrote.
    private func put(
        _ own: ItemReference, of item: Item, _ upload: inout Upload
    ) async throws {
        let key = SharedKeys.reference(item)
        let bytes = try await objects.get(key, limit: ItemReference.maxBytes)
        let known = bytes.flatMap { ItemReference($0, of: item) }
        var reference = ItemReference(item: item.description)
        reference.merge(own)
        if var known {
            if let purged = try await voids.date(of: item, objects) {
                known.resolutions.removeAll { $0.resolvedAt <= purged }
            }
            reference.merge(known)
        }
        guard reference != known else { return }
        let object = StoredObject(
            try reference.encoded(), contentType: "application/json", cacheControl: "no-cache")
        _ = try await objects.put(object, key, .always)
        upload.stored += bytes == nil ? 1 : 0
        upload.bytes += object.bytes.count
        metrics.sharedBytes("sent", object.bytes.count)
    }

    private func put(
        _ entries: [PictureBundle.Entry], of original: Digest, _ key: String, recipe: String,
        _ upload: inout Upload
    ) async throws -> ItemReference.Bundle {
        let bundle = PictureBundle(original: original, recipe: recipe, entries: entries)
        let object = StoredObject(bundle.encoded(), cacheControl: StoredObject.forever)
        if try await objects.put(object, once: key) == .stored {
            upload.stored += 1
            upload.bytes += object.bytes.count
            metrics.sharedBytes("sent", object.bytes.count)
        }
        return .init(byteCount: object.bytes.count, sha256: object.sha256)
    }

    /// Returns thumbnails of an original in their order, after it rendered those that are not
    /// stored; nil if the original is gone and its origin doesn't give the same one any more.
    private func make(
        _ renditions: [Rendition], of original: Digest, at url: String, for item: Item
    ) async throws -> [PictureBundle.Entry]? {
        for _ in 0..<2 {
            var entries: [PictureBundle.Entry] = []
            var records: [ThumbnailKey: ThumbnailRecord] = [:]
            for record in try await index.thumbnails(of: original) { records[record.key] = record }
            for rendition in renditions {
                guard let record = records[thumbnails.key(original, rendition)],
                    let entry = try await entry(record, rendition)
                else { break }
                entries.append(entry)
            }
            if entries.count == renditions.count { return entries }
            guard try await render(renditions, of: original, at: url, for: item) else { return nil }
        }
        return nil
    }

    private func entry(
        _ record: ThumbnailRecord, _ rendition: Rendition
    ) async throws -> PictureBundle.Entry? {
        guard let bytes = try await thumbnails.blobs.load(record.digest) else { return nil }
        return PictureBundle.Entry(
            name: SharedKeys.name(rendition), width: record.width, height: record.height,
            digest: record.digest, bytes: bytes)
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
                original, held.bytes, missing, for: Miss.isolationGroup(of: item, url))
        } catch let error as ImagingError where error.rejection != nil {
            return false
        }
        let made = thumbnails.pictures(
            rendering.thumbnails, freshUntil: .distantPast, failure: nil)
        let records = try await thumbnails.store(made, of: original)
        try await thumbnails.record(
            original: nil, records, [],
            summary: SummaryRecord(rendering.summary, of: original))
        return true
    }

    /// Returns the bytes of an original, from this node or from its origin.
    private func held(
        _ original: Digest, at url: String, for item: Item
    ) async throws -> (bytes: [UInt8], hold: ByteBudget.Hold?)? {
        let stored = Originals.Original(
            digest: original, record: OriginalRecord(url: url, fetchedAt: now(), freshUntil: now()),
            origin: .stored, note: "stored")
        if let held = try await originals.bytes(of: stored) { return held }
        let hosts = try sources.source(of: item).imageHosts
        guard
            case .original(let fetched) = try await originals.acquire(
                url, hosts: hosts, again: true), fetched.digest == original
        else { return nil }
        return try await originals.bytes(of: fetched)
    }

    /// Returns the stored thumbnails in the present recipe that no bundle has.
    private func singles(
        of original: Digest
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

// MARK: - Marks

extension SharedStore {
    /// Marks of items whose pictures are not in the shared store yet are documents of the index, so
    /// that they are written with the pictures and survive a restart.
    static let marks = "upload:"
    /// Documents are removed after they expired.
    private static let markLife: TimeInterval = 10 * 365 * 86_400

    private static func mark(_ item: Item) -> String { "\(marks)\(item)" }

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
