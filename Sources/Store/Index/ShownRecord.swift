import FoundationEssentials
import GRDB

/// A level of an item that has a thumbnail in any format.
package struct ShownRecord: Sendable, Equatable {
    package var item: String
    /// Level key as in ``ThumbnailKey/level``.
    package var level: String
    /// Pixels of the thumbnail.
    package var width: Int
    package var height: Int
    package var summary: SummaryRecord?
}

extension Index {
    /// Returns every level with a thumbnail of many items, with one query, in no particular order.
    package func shown(items: [String]) async throws(StoreError) -> [ShownRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await all(by: { [$0.item, $0.level] }) {
            try IndexRows.shown($0, items: list)
        }
    }
}

extension IndexRows {
    fileprivate static func shown(_ database: Database, items: String) throws -> [ShownRecord] {
        // Formats and recipes of one level differ only in their bytes.
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
                    color: try columns.next(), width: try columns.next(),
                    height: try columns.next())
            }
            return record
        }
    }
}
