package import FoundationEssentials
import GRDB

/// A stored thumbnail.
package struct ThumbnailRecord: Sendable, Equatable {
    package var key: ThumbnailKey
    package var digest: Digest
    package var byteCount: Int
    package var width: Int
    package var height: Int
    package var renderedAt: Date

    package init(
        key: ThumbnailKey, digest: Digest, byteCount: Int, width: Int, height: Int,
        renderedAt: Date
    ) {
        self.key = key
        self.digest = digest
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.renderedAt = renderedAt
    }
}

extension ThumbnailRecord {
    /// The SQL that creates the table.
    static let table = """
        CREATE TABLE thumbnails (
            original BLOB NOT NULL CHECK (length(original) = 32),
            level TEXT NOT NULL,
            format TEXT NOT NULL,
            recipe TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            byteCount INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            renderedAt REAL NOT NULL,
            PRIMARY KEY (original, level, format, recipe)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX thumbnailsByDigest ON thumbnails (digest);
        """
}

extension IndexRows {
    private static let thumbnailColumns = """
        original, level, format, recipe, digest, byteCount, width, height, renderedAt
        """

    static func thumbnail(_ database: Database, _ key: ThumbnailKey) throws -> ThumbnailRecord? {
        try select(
            database,
            """
            SELECT \(thumbnailColumns) FROM thumbnails
            WHERE original = ? AND level = ? AND format = ? AND recipe = ?
            """,
            [key.original.data, key.level, key.format, key.recipe], thumbnail
        ).first
    }

    static func thumbnails(_ database: Database, of original: Digest) throws -> [ThumbnailRecord] {
        try select(
            database,
            """
            SELECT \(thumbnailColumns) FROM thumbnails
            WHERE original = ? ORDER BY level, format, recipe
            """,
            [original.data], thumbnail)
    }

    static func allThumbnails(_ database: Database) throws -> [ThumbnailRecord] {
        try select(database, "SELECT \(thumbnailColumns) FROM thumbnails", [], thumbnail)
    }

    static func upsert(_ database: Database, _ record: ThumbnailRecord) throws {
        try execute(
            database,
            """
            INSERT OR REPLACE INTO thumbnails (\(thumbnailColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                record.key.original.data, record.key.level, record.key.format, record.key.recipe,
                record.digest.data, record.byteCount, record.width, record.height,
                record.renderedAt.timeIntervalSince1970,
            ])
    }

    private static func thumbnail(_ columns: inout RowColumns) throws -> ThumbnailRecord {
        ThumbnailRecord(
            key: ThumbnailKey(
                original: try columns.nextDigest(), level: try columns.next(),
                format: try columns.next(), recipe: try columns.next()),
            digest: try columns.nextDigest(), byteCount: try columns.next(),
            width: try columns.next(), height: try columns.next(),
            renderedAt: try columns.nextDate())
    }
}
