package import FoundationEssentials
import GRDB
package import Hashing
import Threads

/// What the index knows of an item, an original or a key: rows in memory and on disk.
extension Index {
    package func original(url: String) async throws(StoreError) -> OriginalRecord? {
        try await threads.run { [self] () throws(StoreError) in
            let waiting = unsaved?.read { $0.originals[url] } ?? nil
            if let waiting, waiting.digest != nil { return waiting }
            let stored = try stored(or: nil) { try IndexRows.original($0, url: url) }
            return waiting?.keeping(stored) ?? stored
        }
    }

    package func thumbnail(_ key: ThumbnailKey) async throws(StoreError) -> ThumbnailRecord? {
        try await threads.run { [self] () throws(StoreError) in try known(key) }
    }

    private func known(_ key: ThumbnailKey) throws(StoreError) -> ThumbnailRecord? {
        try found({ $0.thumbnail(key) }) { try IndexRows.thumbnail($0, key) }
    }

    /// Returns what is known of an item. One that was never resolved has no resolutions.
    package func item(_ name: String) async throws(StoreError) -> ItemRecord {
        try await threads.run { [self] () throws(StoreError) in try known(name) }
    }

    private func known(_ name: String) throws(StoreError) -> ItemRecord {
        var record = try stored(or: ItemRecord(name)) { try IndexRows.item($0, name) }
        if let newer = unsaved?.read({ $0.items[name] }) ?? nil { record.set(newer) }
        return record
    }

    /// Returns what is known of many items, with one query, in no particular order. Items that were never
    /// resolved are omitted.
    package func items(_ names: [String]) async throws(StoreError) -> [ItemRecord] {
        if names.isEmpty { return [] }
        let list = try Self.list(names)
        return try await threads.run { [self] () throws(StoreError) in
            try all(
                by: \.item, { (rows) throws(StoreError) in try waiting(names, in: rows) }
            ) { try IndexRows.items($0, list) }
        }
    }

    /// Returns what is known of those items that have rows in memory.
    private func waiting(
        _ names: [String], in rows: WaitingRows
    ) throws(StoreError) -> [ItemRecord] {
        var records: [ItemRecord] = []
        for name in names where rows.items[name] != nil { records.append(try known(name)) }
        return records
    }

    /// Returns all thumbnails of an original, of every recipe, ordered by key.
    package func thumbnails(of original: Digest) async throws(StoreError) -> [ThumbnailRecord] {
        try await threads.run { [self] () throws(StoreError) in try known(original) }
    }

    private func known(_ original: Digest) throws(StoreError) -> [ThumbnailRecord] {
        try all(by: \.key, { $0.thumbnails(of: original) }) {
            try IndexRows.thumbnails($0, of: original)
        }.sorted { $0.key < $1.key }
    }

    /// What is known before a render.
    package struct Known: Sendable {
        package var item: ItemRecord
        /// Of the original, of every recipe.
        package var thumbnails: [ThumbnailRecord]
        package var summary: SummaryRecord?
        /// Of the original, of any recipe.
        package var quarantined: QuarantineRecord?
    }

    /// Returns an item's record with what is known of an original, in one visit of a thread and, unless
    /// some rows are elsewhere, of the disk's
    package func known(
        of item: String, original: Digest
    ) async throws(StoreError) -> Known {
        try await threads.run { [self] () throws(StoreError) in
            guard hasAllOnDisk else {
                return Known(
                    item: try known(item), thumbnails: try known(original),
                    summary: try knownSummary(of: original),
                    quarantined: try knownQuarantine(of: original))
            }
            return try stored(or: Known(item: ItemRecord(item), thumbnails: [])) { database in
                Known(
                    item: try IndexRows.item(database, item),
                    thumbnails: try IndexRows.thumbnails(database, of: original),
                    summary: try IndexRows.summary(database, of: original),
                    quarantined: try IndexRows.quarantined(database, original))
            }
        }
    }

    /// Returns the document of a key, such as an item's details or a catalog page. Opaque to the
    /// store.
    package func document(_ key: String) async throws(StoreError) -> DocumentRecord? {
        try await threads.run { [self] () throws(StoreError) in
            try found({ $0.documents[key] }) { try IndexRows.document($0, key) }
        }
    }

    /// Returns the documents of many keys with one query, in no particular order.
    package func documents(_ keys: [String]) async throws(StoreError) -> [DocumentRecord] {
        if keys.isEmpty { return [] }
        let list = try Self.list(keys)
        return try await threads.run { [self] () throws(StoreError) in
            try all(
                by: \.key, { rows in keys.compactMap { rows.documents[$0] } }
            ) { try IndexRows.documents($0, keys: list) }
        }
    }

    /// Returns the summary that was made when the original was first rendered.
    package func summary(of original: Digest) async throws(StoreError) -> SummaryRecord? {
        try await threads.run { [self] () throws(StoreError) in
            try knownSummary(of: original)
        }
    }

    /// The first summary stays, so one on disk comes before one in memory.
    private func knownSummary(of original: Digest) throws(StoreError) -> SummaryRecord? {
        try stored(or: nil) { try IndexRows.summary($0, of: original) }
            ?? unsaved?.read { $0.summaries[original] } ?? nil
    }

    /// Returns the record of an original, of any recipe.
    package func quarantined(
        _ original: Digest
    ) async throws(StoreError) -> QuarantineRecord? {
        try await threads.run { [self] () throws(StoreError) in
            try knownQuarantine(of: original)
        }
    }

    private func knownQuarantine(of original: Digest) throws(StoreError) -> QuarantineRecord? {
        try found({ $0.quarantined[original] }) { try IndexRows.quarantined($0, original) }
    }

    /// Returns whether any row refers to a blob.
    package func names(_ digest: Digest) async throws(StoreError) -> Bool {
        try await threads.run { [self] () throws(StoreError) in
            try found({ $0.uses(of: [digest]).isEmpty ? nil : true }) {
                try IndexRows.isNamed($0, digest)
            } ?? false
        }
    }

    /// Returns whether an item shows the picture of a blob, or a URL has it, and expires at a date or before.
    package func isShown(_ digest: Digest, expiringBy date: Date) async throws(StoreError) -> Bool {
        try await threads.run { [self] () throws(StoreError) in
            var pictures: Set = [digest]
            if let rows = unsaved?.read(\.self) {
                // One of a picture's rows may be in memory, and the other on disk.
                let stored = try stored(or: [:]) { try IndexRows.uses($0, of: [digest]) }
                let use = rows.uses(of: [digest], besides: stored)[digest]
                pictures.formUnion(use?.thumbnailOf ?? [])
                if rows.isShown(pictures, expiringBy: date) { return true }
            }
            for picture in pictures
            where try stored(
                or: false, { try IndexRows.isShown($0, picture, expiringBy: date) })
            {
                return true
            }
            return false
        }
    }

    /// Returns every level with a thumbnail of many items, with one query, in no particular order.
    package func shown(items: [String]) async throws(StoreError) -> [ShownRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await threads.run { [self] () throws(StoreError) in
            try all(
                by: { [$0.item, $0.level] },
                { (rows) throws(StoreError) in
                    var records: [ShownRecord] = []
                    for record in try waiting(items, in: rows) { records += try shown(record) }
                    return records
                }
            ) { try IndexRows.shown($0, items: list) }
        }
    }

    private func shown(_ item: ItemRecord) throws(StoreError) -> [ShownRecord] {
        var records: [ShownRecord] = []
        for resolution in item.resolutions {
            guard let original = resolution.original else { continue }
            let (thumbnails, summary) = (try known(original), try knownSummary(of: original))
            for level in resolution.levels {
                guard let thumbnail = thumbnails.first(where: { $0.key.level == level }) else {
                    continue
                }
                records.append(
                    ShownRecord(
                        item: item.item, level: level, width: thumbnail.facts.width,
                        height: thumbnail.facts.height, summary: summary))
            }
        }
        return records
    }

    /// Returns the pictures of many items at one level, with one query, in no particular order.
    /// Items that were never resolved for it are omitted.
    package func tiles(
        items: [String], level: String, format: String, recipe: String
    ) async throws(StoreError) -> [TileRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await threads.run { [self] () throws(StoreError) in
            try all(
                by: \.item,
                { (rows) throws(StoreError) in
                    var tiles: [TileRecord] = []
                    for record in try waiting(items, in: rows) {
                        guard let resolution = record.resolution(of: level) else { continue }
                        var tile = TileRecord(item: record.item, resolution: resolution)
                        tile.thumbnail = try resolution.original.flatMap {
                            original throws(StoreError) in
                            try known(
                                ThumbnailKey(
                                    original: original, level: level, format: format,
                                    recipe: recipe))
                        }
                        tiles.append(tile)
                    }
                    return tiles
                }
            ) {
                try IndexRows.tiles(
                    $0, items: list, level: level, format: format, recipe: recipe)
            }
        }
    }

    /// Returns the items that show a picture whose original, or one of whose thumbnails, has this digest.
    /// Items that are not on disk yet are missing.
    package func items(showing digest: Digest, limit: Int) async throws(StoreError) -> [String] {
        try await read { database in
            try IndexRows.select(
                database,
                """
                WITH \(IndexRows.shownPictures)
                SELECT DISTINCT items.name
                FROM shown
                CROSS JOIN resolutions ON resolutions.picture = shown.picture
                CROSS JOIN items ON items.id = resolutions.item
                ORDER BY items.id LIMIT ?2
                """, [digest.data, limit]
            ) { try $0.next() as String }
        }
    }

    /// Items among which ``newestItems(of:kind:limit:)`` looks, so that it never reads a whole index.
    private static let newest: Int64 = 50_000

    /// Returns the items of a kind that have a picture and were added last, the newest first. Items
    /// that are not on disk yet are missing.
    package func newestItems(
        of source: String, kind: String, limit: Int
    ) async throws(StoreError) -> [String] {
        try await read { database in
            try IndexRows.select(
                database,
                """
                SELECT name FROM items
                WHERE id > (SELECT coalesce(max(id), 0) FROM items) - \(Self.newest)
                AND substr(name, 1, length(?1)) = ?1
                AND EXISTS (
                    SELECT 1 FROM resolutions WHERE item = items.id AND picture IS NOT NULL)
                ORDER BY id DESC LIMIT ?2
                """, ["\(source)/\(kind)/", limit]
            ) { try $0.next() as String }
        }
    }
}

extension IndexRows {
    /// A table of the pictures whose original, or one of whose thumbnails, has the digest of `?1`.
    static let shownPictures = """
        shown(picture) AS (
            SELECT id FROM pictures WHERE \(digestMatches("pictures", "?1"))
            UNION
            SELECT picture FROM thumbnails WHERE \(digestMatches("thumbnails", "?1")))
        """

    static func isShown(
        _ database: Database, _ digest: Digest, expiringBy date: Date
    ) throws -> Bool {
        let sql = """
            WITH \(shownPictures)
            SELECT EXISTS (
                SELECT 1 FROM shown
                CROSS JOIN resolutions ON resolutions.picture = shown.picture AND freshUntil <= ?2)
            OR EXISTS (
                SELECT 1 FROM shown
                CROSS JOIN originals ON originals.picture = shown.picture AND freshUntil <= ?2)
            """
        let values: [any DatabaseValueConvertible] = [
            digest.data, try milliseconds(date),
        ]
        return try select(database, sql, values) { try $0.next() as Bool }.first ?? false
    }
}
