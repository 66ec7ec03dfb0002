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
            SELECT resolutions.levels, wanted.value, renditions.level, thumbnails.width,
                thumbnails.height, pictures.digest, pictures.thumbHash, pictures.color,
                pictures.width, pictures.height
            FROM json_each(?) AS wanted
            CROSS JOIN items ON items.name = wanted.value
            CROSS JOIN resolutions ON resolutions.item = items.id
            CROSS JOIN pictures ON pictures.id = resolutions.picture
            CROSS JOIN thumbnails ON thumbnails.picture = pictures.id
            CROSS JOIN renditions ON renditions.id = thumbnails.rendition
            GROUP BY resolutions.id, renditions.level
            """
        return try select(database, sql, [items]) { columns in
            let levels = try columns.nextLevels()
            let record = try ShownRecord(&columns)
            return levels.contains(record.level) ? record : nil
        }.compactMap(\.self)
    }
}

extension ShownRecord {
    /// Reads item, level, width and height, then the original and its summary if it has one.
    init(_ columns: inout RowColumns) throws {
        let (item, level): (String, String) = (try columns.next(), try columns.next())
        let (width, height) = try columns.nextSize()
        self.init(item: item, level: level, width: width, height: height)
        let original = try columns.nextDigest()
        if let thumbHash: Data = try columns.nextIfAny() {
            let color: String = try columns.next()
            let (width, height) = try columns.nextSize()
            summary = SummaryRecord(
                original: original, thumbHash: [UInt8](thumbHash), color: color, width: width,
                height: height)
        }
    }
}

/// The picture of an item at one level in one format.
package struct TileRecord: Sendable, Equatable {
    package var item: String
    /// What is known of the item at that level.
    package var resolution: ItemRecord.Resolution
    package var thumbnail: ThumbnailRecord?
}

extension IndexRows {
    static func tiles(
        _ database: Database, items: String, level: String, format: String, recipe: String
    ) throws -> [TileRecord] {
        let sql = """
            SELECT wanted.value, \(resolutionColumns), \(factColumns)
            FROM json_each(?1) AS wanted
            CROSS JOIN items ON items.name = wanted.value
            CROSS JOIN resolutions ON resolutions.item = items.id
            \(shownTables)
            LEFT JOIN thumbnails ON thumbnails.picture = resolutions.picture
                AND thumbnails.rendition = (
                    SELECT id FROM renditions WHERE level = ?2 AND format = ?3 AND recipe = ?4)
            """
        return try select(database, sql, [items, level, format, recipe]) { columns in
            var record = TileRecord(
                item: try columns.next(), resolution: try columns.nextResolution())
            guard record.resolution.levels.contains(level) else { return nil }
            if let original = record.resolution.original,
                let facts = try columns.nextFactsIfAny()
            {
                record.thumbnail = ThumbnailRecord(
                    ThumbnailKey(
                        original: original, level: level, format: format, recipe: recipe), facts)
            }
            return record
        }.compactMap(\.self)
    }
}
