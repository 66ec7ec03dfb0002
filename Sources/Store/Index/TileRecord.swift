package import FoundationEssentials
import GRDB

/// The picture of an item at one level in one format.
package struct TileRecord: Sendable, Equatable {
    package var item: String
    package var freshUntil: Date
    /// Whether the item shows an original.
    package var isBound: Bool
    /// Why there is no thumbnail, or why its refresh failed.
    package var failure: FailureRecord?
    package var thumbnail: ThumbnailRecord?
}

extension Index {
    /// Returns the pictures of many items at one level, with one query, in no particular order.
    /// Items that were never resolved are omitted.
    package func tiles(
        items: [String], level: String, format: String, recipe: String
    ) async throws(StoreError) -> [TileRecord] {
        if items.isEmpty { return [] }
        let list = try Self.list(items)
        return try await all(by: \.item) {
            try IndexRows.tiles($0, items: list, level: level, format: format, recipe: recipe)
        }
    }
}

extension IndexRows {
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
}
