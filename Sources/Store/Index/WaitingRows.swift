import FoundationEssentials
import Hashing

/// Rows in memory, by the keys that lookups have.
struct WaitingRows: Sendable {
    private var originals: [String: OriginalRecord] = [:]
    private var summaries: [Digest: SummaryRecord] = [:]
    /// By original.
    private var thumbnails: [Digest: [ThumbnailRecord]] = [:]
    /// The levels of items that were resolved since.
    private var items: [String: ItemRecord] = [:]
    private var documents: [String: DocumentRecord] = [:]
    private var quarantined: [Digest: QuarantineRecord] = [:]

    var isEmpty: Bool {
        originals.isEmpty && summaries.isEmpty && thumbnails.isEmpty && items.isEmpty
            && documents.isEmpty && quarantined.isEmpty
    }

    /// All rows, for the disk.
    var all: IndexChange {
        IndexChange(
            originals: Array(originals.values), summaries: Array(summaries.values),
            thumbnails: thumbnails.values.flatMap(\.self),
            items: Array(items.values), documents: Array(documents.values),
            quarantined: Array(quarantined.values))
    }

    /// Replaces the rows of their keys, as the tables on disk do.
    mutating func add(_ change: IndexChange) {
        for record in change.originals {
            originals[record.url] = record.keeping(originals[record.url])
        }
        for record in change.items {
            items[record.item, default: ItemRecord(record.item)].set(record)
        }
        for record in change.summaries where summaries[record.original] == nil {
            summaries[record.original] = record
        }
        for record in change.thumbnails {
            let others = thumbnails(of: record.key.original).filter { $0.key != record.key }
            thumbnails[record.key.original] = others + [record]
        }
        for record in change.documents { documents[record.key] = record }
        for record in change.quarantined { quarantined[record.original] = record }
    }

    func original(url: String) -> OriginalRecord? { originals[url] }
    func summary(of original: Digest) -> SummaryRecord? { summaries[original] }
    func thumbnails(of original: Digest) -> [ThumbnailRecord] { thumbnails[original] ?? [] }
    func item(_ name: String) -> ItemRecord? { items[name] }
    func document(_ key: String) -> DocumentRecord? { documents[key] }
    func quarantined(_ original: Digest) -> QuarantineRecord? { quarantined[original] }

    func thumbnail(_ key: ThumbnailKey) -> ThumbnailRecord? {
        thumbnails(of: key.original).first { $0.key == key }
    }

    private var resolutions: some Sequence<ItemRecord.Resolution> {
        items.values.lazy.flatMap(\.resolutions)
    }

    /// Returns whether an item shows one of these originals, or a URL has it, and expires at a date
    /// or before.
    func isShown(_ pictures: Set<Digest>, expiringBy date: Date) -> Bool {
        func isMeant(_ original: Digest?, _ freshUntil: Date) -> Bool {
            freshUntil <= date && original.map(pictures.contains) == true
        }
        return originals.values.contains { isMeant($0.digest, $0.freshUntil) }
            || resolutions.contains { isMeant($0.original, $0.freshUntil) }
    }

    /// Adds to what the disk says of blobs.
    func uses(
        of digests: Set<Digest>, besides stored: [Digest: BlobUse] = [:]
    ) -> [Digest: BlobUse] {
        var uses = stored
        for (original, list) in thumbnails {
            for record in list where digests.contains(record.facts.digest) {
                uses[record.facts.digest, default: BlobUse()].thumbnailOf.insert(original)
            }
            if digests.contains(original) {
                uses[original, default: BlobUse()].hasThumbnails = true
            }
        }
        for case let digest? in originals.values.lazy.map(\.digest) where digests.contains(digest) {
            uses[digest, default: BlobUse()].isOriginal = true
        }
        var made: [Digest: [Digest]] = [:]
        for (digest, use) in uses {
            for original in use.thumbnailOf { made[original, default: []].append(digest) }
        }
        for record in items.values {
            for original in record.originals {
                if digests.contains(original) {
                    uses[original, default: BlobUse()].isOriginal = true
                    uses[original]?.items.insert(record.item)
                }
                for digest in made[original] ?? [] { uses[digest]?.items.insert(record.item) }
            }
        }
        return uses.filter(\.value.isNamed)
    }

    /// Removes the row of a URL if its original has that digest.
    mutating func withdraw(_ digest: Digest, of url: String) {
        if originals[url]?.digest == digest { originals[url] = nil }
    }
}

extension WaitingRows {
    /// Purges rows, and adds what they refer to, so that rows on disk are found by it. The orphans
    /// may have rows on disk.
    mutating func purge(_ order: PurgeRequest, _ concerned: inout PurgeFind.Concerned) -> IndexPurge
    {
        for record in items.values where order.concerns(item: record.item) {
            concerned.pictures.formUnion(record.originals)
            for resolution in record.resolutions {
                concerned.addresses.formUnion(resolution.addresses)
            }
        }
        for url in order.besides(concerned.addresses) {
            concerned.addresses.insert(url)
            if let digest = originals[url]?.digest { concerned.pictures.insert(digest) }
        }
        if order.items == .all {
            concerned.addresses.formUnion(originals.keys)
            concerned.pictures.formUnion(originals.values.compactMap(\.digest))
            concerned.pictures.formUnion(thumbnails.keys)
        }
        return switch order.mode {
        case .soft(let now): expire(order, concerned, at: now)
        case .hard: remove(order, concerned)
        }
    }

    private mutating func expire(
        _ order: PurgeRequest, _ concerned: PurgeFind.Concerned, at now: Date
    ) -> IndexPurge {
        var purge = IndexPurge()
        for var document in documents.values where order.isDocument(document.key) {
            document.expiresAt = min(document.expiresAt, now)
            documents[document.key] = document
            purge.documents += 1
        }
        for var record in items.values where order.concerns(item: record.item) {
            for place in record.resolutions.indices {
                let freshUntil = record.resolutions[place].freshUntil
                record.resolutions[place].freshUntil = min(freshUntil, now)
                record.resolutions[place].failure?.expire(at: now)
            }
            items[record.item] = record
            purge.items.insert(record.item)
        }
        for url in concerned.addresses {
            guard var original = originals[url] else { continue }
            original.freshUntil = min(original.freshUntil, now)
            original.failure?.expire(at: now)
            originals[url] = original
            purge.originals += 1
        }
        for picture in concerned.pictures { purge.thumbnails += thumbnails(of: picture).count }
        return purge
    }

    private mutating func remove(_ order: PurgeRequest, _ concerned: PurgeFind.Concerned)
        -> IndexPurge
    {
        var purge = IndexPurge()
        for key in documents.keys where order.isDocument(key) {
            documents[key] = nil
            purge.documents += 1
        }
        for (item, record) in items {
            let kept = record.keeping { _, resolution in
                !order.concerns(item: item)
                    && resolution.original.map(concerned.pictures.contains) != true
            }
            if kept == record { continue }
            items[item] = kept.resolutions.isEmpty ? nil : kept
            purge.items.insert(item)
            purge.orphans += record.originals.filter(concerned.pictures.contains)
        }
        for (url, record) in originals {
            let isMeant =
                record.digest.map(concerned.pictures.contains) ?? concerned.addresses.contains(url)
            guard isMeant else { continue }
            originals[url] = nil
            purge.originals += 1
            if let digest = record.digest { purge.orphans.append(digest) }
        }
        for (original, list) in thumbnails
        where concerned.pictures.contains(original) || list.contains(where: \.key.isSheet) {
            thumbnails[original] = nil
            purge.thumbnails += list.count
            purge.orphans += list.map(\.facts.digest)
        }
        for picture in concerned.pictures {
            summaries[picture] = nil
            quarantined[picture] = nil
        }
        return purge
    }
}

extension OriginalRecord {
    /// Returns what is stored if this replaces a record. A failure keeps what describes the bytes of
    /// an earlier success.
    func keeping(_ known: OriginalRecord?) -> OriginalRecord {
        guard digest == nil, var kept = known, kept.digest != nil else { return self }
        kept.failure = failure
        return kept
    }
}

extension FailureRecord {
    fileprivate mutating func expire(at now: Date) { until = min(until, now) }
}
