package import FoundationEssentials
import GRDB

/// A level of an item that has a thumbnail, in whatever format.
package struct ShownRecord: Sendable, Equatable {
    package var item: String
    /// Level key as in ``ThumbnailKey/level``.
    package var level: String
    /// Pixels of the thumbnail.
    package var width: Int
    package var height: Int
    package var summary: SummaryRecord?
}

/// What an item shows at one level in one format.
package struct TileRecord: Sendable, Equatable {
    package var item: String
    package var freshUntil: Date
    /// Whether it shows an original at all.
    package var isBound: Bool
    /// Why there is no thumbnail, or why it could not be refreshed.
    package var failure: FailureRecord?
    package var thumbnail: ThumbnailRecord?
}

extension Index {
    /// What many items show, by one query: every level that has a thumbnail, in no order.
    package func shown(items: [String]) async throws(StoreError) -> [ShownRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await all(by: { [$0.item, $0.level] }) {
            try IndexRows.shown($0, items: list)
        }
    }

    /// What many items show at a level, by one query, in no order; an item that was never resolved
    /// is left out. The key's original doesn't count.
    package func tiles(
        items: [String], level: String, format: String, recipe: String
    ) async throws(StoreError) -> [TileRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await all(by: \.item) {
            try IndexRows.tiles($0, items: list, level: level, format: format, recipe: recipe)
        }
    }

    /// Documents of many keys, by one query, in no order.
    package func documents(_ keys: [String]) async throws(StoreError) -> [DocumentRecord] {
        if keys.isEmpty { return [] }
        let list = try Self.list(keys)
        return try await read { try IndexRows.documents($0, keys: list) }
    }

    /// What was found of the original when it was first rendered.
    package func summary(of original: Digest) async throws(StoreError) -> SummaryRecord? {
        try await first { try IndexRows.summary($0, of: original) }
    }

    /// SQLite takes a list as one value only, which is JSON.
    private static func list(_ items: [String]) throws(StoreError) -> String {
        do {
            return String(decoding: try JSONEncoder().encode(items), as: UTF8.self)
        } catch {
            throw .index(reason: "a list of items can't be written: \(error)")
        }
    }
}

extension IndexRows {
    fileprivate static func shown(_ database: Database, items: String) throws -> [ShownRecord] {
        // Formats and recipes of one level differ in their bytes only.
        let sql = """
            SELECT bindings.item, bindings.level, thumbnails.width, thumbnails.height,
                bindings.original, summaries.thumbHash, summaries.colour, summaries.width,
                summaries.height
            FROM json_each(?) AS wanted
            CROSS JOIN bindings ON bindings.item = wanted.value
            CROSS JOIN thumbnails ON thumbnails.original = bindings.original
                AND thumbnails.level = bindings.level
            LEFT JOIN summaries ON summaries.original = bindings.original
            GROUP BY bindings.item, bindings.level
            """
        return try select(database, sql, [items]) { columns in
            var record = ShownRecord(
                item: try columns.next(), level: try columns.next(), width: try columns.next(),
                height: try columns.next())
            let original = try columns.nextDigest()
            if let thumbHash: Data = try columns.nextIfAny() {
                record.summary = SummaryRecord(
                    original: original, thumbHash: [UInt8](thumbHash),
                    colour: try columns.next(), width: try columns.next(),
                    height: try columns.next())
            }
            return record
        }
    }

    fileprivate static func tiles(
        _ database: Database, items: String, level: String, format: String, recipe: String
    ) throws -> [TileRecord] {
        let sql = """
            SELECT bindings.item, bindings.freshUntil, bindings.original IS NOT NULL,
                bindings.failureKind, bindings.failureReason, bindings.failureUntil, thumbnails.original,
                thumbnails.digest, thumbnails.byteCount, thumbnails.width, thumbnails.height,
                thumbnails.renderedAt
            FROM json_each(?) AS wanted
            CROSS JOIN bindings ON bindings.item = wanted.value AND bindings.level = ?
            LEFT JOIN thumbnails ON thumbnails.original = bindings.original
                AND thumbnails.level = bindings.level AND thumbnails.format = ?
                AND thumbnails.recipe = ?
            """
        return try select(database, sql, [items, level, format, recipe]) { columns in
            var record = TileRecord(
                item: try columns.next(), freshUntil: try columns.nextDate(),
                isBound: try columns.next(), failure: try columns.nextFailure())
            if let original = try columns.nextDigestIfAny() {
                record.thumbnail = ThumbnailRecord(
                    key: ThumbnailKey(
                        original: original, level: level, format: format, recipe: recipe),
                    digest: try columns.nextDigest(), byteCount: try columns.next(),
                    width: try columns.next(), height: try columns.next(),
                    renderedAt: try columns.nextDate())
            }
            return record
        }
    }

    static func summary(_ database: Database, of original: Digest) throws -> SummaryRecord? {
        let sql = "SELECT \(summaryColumns) FROM summaries WHERE original = ?"
        return try select(database, sql, [original.data], summary).first
    }

    static func summaries(_ database: Database) throws -> [SummaryRecord] {
        try select(database, "SELECT \(summaryColumns) FROM summaries", [], summary)
    }

    private static let summaryColumns = "original, thumbHash, colour, width, height"

    private static func summary(_ columns: inout RowColumns) throws -> SummaryRecord {
        SummaryRecord(
            original: try columns.nextDigest(), thumbHash: try columns.nextBytes(),
            colour: try columns.next(), width: try columns.next(), height: try columns.next())
    }

    /// The first summary of an original stays, so that it does not change with the levels asked.
    static func insert(_ database: Database, _ record: SummaryRecord) throws {
        try execute(
            database,
            """
            INSERT OR IGNORE INTO summaries (original, thumbHash, colour, width, height)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                record.original.data, Data(record.thumbHash), record.colour, record.width,
                record.height,
            ])
    }
}
