package import FoundationEssentials
import GRDB

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
