import FoundationEssentials
import Hashing
import Synchronization

/// Rows that the disk did not take yet. They are newer than those on disk, except summaries. Any
/// thread. Calls wait while the rows are written to the disk.
final class UnsavedRows: Sendable {
    private struct State {
        var rows = WaitingRows()
        /// About what the rows take, and those that others have replaced since they were weighed.
        var bytes = 0
    }

    private let limit: Int
    private let state = Mutex(State())
    private let isFilled = Atomic(false)

    /// - Parameter bytes: limit of the memory for rows.
    init(bytes: Int) { limit = bytes }

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    /// Returns what is found among the rows; nil if there are none.
    func read<Value>(_ look: (WaitingRows) -> Value) -> Value? {
        isEmpty ? nil : state.withLock { look($0.rows) }
    }

    func change<Value>(_ update: (inout WaitingRows) throws -> Value) rethrows -> Value {
        try state.withLock { state in
            defer { isFilled.store(!state.rows.isEmpty, ordering: .releasing) }
            return try update(&state.rows)
        }
    }

    /// Adds rows. Returns false if the memory was full and all earlier rows were dropped.
    func add(_ added: IndexChange) -> Bool {
        state.withLock { state in
            defer { isFilled.store(!state.rows.isEmpty, ordering: .releasing) }
            let weight = added.weight
            state.bytes += weight
            state.rows.add(added)
            if state.bytes <= limit { return true }
            // Seldom: a quarter of the memory is free afterward.
            state.bytes = state.rows.all.weight
            if state.bytes <= limit - limit / 4 { return true }
            state = State()
            // The rows alone may exceed the limit.
            if weight <= limit {
                state.rows.add(added)
                state.bytes = weight
            }
            return false
        }
    }

    /// Passes all rows to `save` and removes them when it returns. No row is added meanwhile.
    func drain(_ save: (IndexChange) throws -> Void) throws {
        try state.withLock { state in
            try save(state.rows.all)
            state = State()
            isFilled.store(false, ordering: .releasing)
        }
    }
}

extension IndexChange {
    /// Bytes of a row besides its texts: the record, and its place in a table.
    private static let overhead = 512

    /// About the bytes that the rows take in memory.
    fileprivate var weight: Int {
        var weight = count * Self.overhead
        func add(_ texts: String?...) {
            for text in texts { weight += text?.utf8.count ?? 0 }
        }
        for record in originals {
            add(record.url, record.format, record.entityTag, record.lastModified)
            add(record.failure?.kind, record.failure?.reason)
        }
        for record in items {
            add(record.item)
            for resolution in record.resolutions {
                add(resolution.url, resolution.failure?.kind, resolution.failure?.reason)
                weight += Self.overhead + (resolution.trace?.bytes.count ?? 0)
            }
        }
        for record in summaries { weight += record.thumbHash.count }
        for record in thumbnails { add(record.key.level, record.key.format, record.key.recipe) }
        for record in documents {
            add(record.key)
            weight += record.body.count
        }
        for record in quarantined { add(record.recipe, record.reason) }
        return weight
    }
}

/// Rows in memory, by the keys that lookups have.
struct WaitingRows: Sendable {
    private(set) var originals: [String: OriginalRecord] = [:]
    private(set) var summaries: [Digest: SummaryRecord] = [:]
    /// By original.
    private var thumbnails: [Digest: [ThumbnailRecord]] = [:]
    /// The levels of items that were resolved since.
    private(set) var items: [String: ItemRecord] = [:]
    private(set) var documents: [String: DocumentRecord] = [:]
    private(set) var quarantined: [Digest: QuarantineRecord] = [:]

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

    func thumbnails(of original: Digest) -> [ThumbnailRecord] { thumbnails[original] ?? [] }

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
        if let expiry = order.expiry { return expire(order, concerned, at: expiry) }
        return remove(order, concerned)
    }

    private mutating func expire(
        _ order: PurgeRequest, _ concerned: PurgeFind.Concerned, at now: Date
    ) -> IndexPurge {
        var purge = IndexPurge()
        for var document in documents.values where order.documents.contains(document.key) {
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
        for key in documents.keys where order.documents.contains(key) {
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
