import GRDB
import Hashing

/// A stored thumbnail.
package struct ThumbnailRecord: Sendable, Equatable {
    package var key: ThumbnailKey
    package var facts: PictureFacts

    package init(_ key: ThumbnailKey, _ facts: PictureFacts) {
        self.key = key
        self.facts = facts
    }

    /// The SQL that creates the table. Rendering times are seconds.
    static let table = """
        CREATE TABLE thumbnails (
            picture INTEGER NOT NULL,
            rendition INTEGER NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            byteCount INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            renderedAt INTEGER NOT NULL,
            PRIMARY KEY (picture, rendition)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX thumbnailsByDigest ON thumbnails (substr(digest, 1, 4));
        """
}

extension IndexRows {
    static let thumbnailRows = """
        SELECT pictures.digest, renditions.level, renditions.format, renditions.recipe,
            \(factColumns)
        FROM pictures
        CROSS JOIN thumbnails ON thumbnails.picture = pictures.id
        CROSS JOIN renditions ON renditions.id = thumbnails.rendition
        """

    static func thumbnail(_ database: Database, _ key: ThumbnailKey) throws -> ThumbnailRecord? {
        try select(
            database,
            """
            \(thumbnailRows) WHERE \(digestMatches("pictures", "?1"))
                AND thumbnails.rendition = (
                    SELECT id FROM renditions WHERE level = ?2 AND format = ?3 AND recipe = ?4)
            """,
            [key.original.data, key.level, key.format, key.recipe], thumbnail
        ).first
    }

    static func thumbnails(_ database: Database, of original: Digest) throws -> [ThumbnailRecord] {
        try select(
            database,
            """
            \(thumbnailRows) WHERE \(digestMatches("pictures", "?1"))
            ORDER BY renditions.level, renditions.format, renditions.recipe
            """,
            [original.data], thumbnail)
    }

    /// - Parameter last: the thumbnail before it in this transaction, with the number of its picture.
    static func upsert(
        _ database: Database, _ record: ThumbnailRecord,
        after last: inout (key: ThumbnailKey, picture: Int64)?
    ) throws {
        let original = record.key.original
        let isSheet = record.key.isSheet
        let picture: Int64
        if let last, last.key.original == original, last.key.isSheet == isSheet {
            picture = last.picture
        } else {
            last = nil
            picture = try self.picture(database, original, source: isSheet ? sheets : "")
        }
        let rendition = try rendition(database, record.key)
        try execute(
            database,
            """
            INSERT INTO thumbnails
                (picture, rendition, digest, byteCount, width, height, renderedAt)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (picture, rendition) DO UPDATE SET digest = excluded.digest,
                byteCount = excluded.byteCount, width = excluded.width, height = excluded.height,
                renderedAt = excluded.renderedAt
            """,
            [picture, rendition] + factValues(record.facts))
        last = (record.key, picture)
    }

    /// Returns the number of a rendition, and gives it one if it has none.
    private static func rendition(_ database: Database, _ key: ThumbnailKey) throws -> Int64 {
        let known = "SELECT id FROM renditions WHERE level = ? AND format = ? AND recipe = ?"
        let values = [key.level, key.format, key.recipe]
        if let id = try number(database, known, values) { return id }
        try execute(
            database, "INSERT INTO renditions (level, format, recipe) VALUES (?, ?, ?)", values)
        return database.lastInsertedRowID
    }

    static func thumbnail(_ columns: inout RowColumns) throws -> ThumbnailRecord {
        ThumbnailRecord(
            ThumbnailKey(
                original: try columns.nextDigest(), level: try columns.next(),
                format: try columns.next(), recipe: try columns.next()),
            try columns.nextFacts())
    }
}
