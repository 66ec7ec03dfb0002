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
