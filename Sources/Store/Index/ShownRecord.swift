package import FoundationEssentials
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

extension IndexRows {
    static func shown(_ database: Database, items: String) throws -> [ShownRecord] {
        // Formats and recipes of one level differ only in their bytes.
        let sql = """
            SELECT wanted.value, bindings.level, thumbnails.width, thumbnails.height, pictures.digest,
                pictures.thumbHash, pictures.color, pictures.width, pictures.height
            FROM json_each(?) AS wanted
            CROSS JOIN items ON items.name = wanted.value
            CROSS JOIN bindings ON bindings.item = items.id
            CROSS JOIN resolutions ON resolutions.id = bindings.resolution
            CROSS JOIN pictures ON pictures.id = resolutions.picture
            CROSS JOIN thumbnails ON thumbnails.picture = pictures.id
            CROSS JOIN renditions ON renditions.id = thumbnails.rendition
                AND renditions.level = bindings.level
            GROUP BY items.id, bindings.level
            """
        return try select(database, sql, [items]) { try ShownRecord(&$0) }
    }
}

extension ShownRecord {
    /// Reads item, level, width and height, then the original and its summary if it has one.
    init(_ columns: inout RowColumns) throws {
        self.init(
            item: try columns.next(), level: try columns.next(), width: try columns.next(),
            height: try columns.next())
        let original = try columns.nextDigest()
        if let thumbHash: Data = try columns.nextIfAny() {
            summary = SummaryRecord(
                original: original, thumbHash: [UInt8](thumbHash),
                color: try columns.next(), width: try columns.next(),
                height: try columns.next())
        }
    }
}

/// Why an item shows no picture.
package struct UnshownRecord: Sendable, Equatable {
    package var item: String
    package var failure: FailureRecord
}

extension IndexRows {
    static func unshown(_ database: Database, items: String) throws -> [UnshownRecord] {
        let sql = """
            SELECT wanted.value, \(failure(of: "resolutions")), max(resolutions.failureUntil)
            FROM json_each(?) AS wanted
            CROSS JOIN items ON items.name = wanted.value
            CROSS JOIN resolutions ON resolutions.item = items.id
            GROUP BY items.id
            HAVING count(resolutions.picture) = 0 AND count(resolutions.failureKind) > 0
            """
        return try select(database, sql, [items], unshown).compactMap(\.self)
    }

    /// Reads item and failure.
    static func unshown(_ columns: inout RowColumns) throws -> UnshownRecord? {
        let item: String = try columns.next()
        return try columns.nextFailure().map { UnshownRecord(item: item, failure: $0) }
    }
}

/// The picture of an item at one level in one format.
package struct TileRecord: Sendable, Equatable {
    package var item: String
    package var freshUntil: Date
    /// Whether the item shows an original.
    package var isBound: Bool
    /// Why the thumbnail is missing, or why its refresh failed.
    package var failure: FailureRecord?
    package var thumbnail: ThumbnailRecord?
}

extension IndexRows {
    static func tiles(
        _ database: Database, items: String, level: String, format: String, recipe: String
    ) throws -> [TileRecord] {
        let sql = """
            SELECT wanted.value, resolutions.freshUntil, resolutions.picture IS NOT NULL,
                \(failure(of: "resolutions")), pictures.digest, thumbnails.digest,
                thumbnails.byteCount, thumbnails.width, thumbnails.height, thumbnails.renderedAt
            FROM json_each(?1) AS wanted
            CROSS JOIN items ON items.name = wanted.value
            CROSS JOIN bindings ON bindings.item = items.id AND bindings.level = ?2
            CROSS JOIN resolutions ON resolutions.id = bindings.resolution
            LEFT JOIN thumbnails ON thumbnails.picture = resolutions.picture
                AND thumbnails.rendition = (
                    SELECT id FROM renditions WHERE level = ?2 AND format = ?3 AND recipe = ?4)
            LEFT JOIN pictures ON pictures.id = thumbnails.picture
            """
        return try select(database, sql, [items, level, format, recipe]) { columns in
            var record = TileRecord(
                item: try columns.next(), freshUntil: try columns.nextMilliseconds(),
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
