import FoundationEssentials
import GRDB
import Hashing

/// Numbers of what many rows refer to: pictures and renditions.
enum IndexKeys {
    /// A picture is an original's digest. Its source is that of the first item that showed it, and empty if no
    /// item did.
    ///
    /// Digests are indexed by their first bytes, and the row decides. What a grid shows before the picture is
    /// loaded stands beside it.
    static let tables = """
        CREATE TABLE renditions (
            id INTEGER PRIMARY KEY,
            level TEXT NOT NULL,
            format TEXT NOT NULL,
            recipe TEXT NOT NULL,
            UNIQUE (level, format, recipe)
        ) STRICT;
        CREATE TABLE pictures (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            source TEXT NOT NULL DEFAULT '',
            \(IndexRows.summaryColumns)
        ) STRICT;
        CREATE INDEX picturesByDigest ON pictures (substr(digest, 1, 4));
        CREATE INDEX picturesOfSheets ON pictures (source) WHERE source = '\(sheets)';
        """

    /// The source of contact sheets.
    static let sheets = "sheet"

    /// Returns the condition that a table's digest equals a value.
    static func digest(_ table: String, is value: String) -> String {
        "substr(\(table).digest, 1, 4) = substr(\(value), 1, 4) AND \(table).digest = \(value)"
    }
}

extension IndexRows {
    /// Returns the first column of the first row.
    static func number(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?]
    ) throws -> Int64? {
        try select(database, sql, values) { try $0.next() as Int64 }.first
    }

    /// Removes renditions without thumbnails, whose recipes were replaced.
    static func removeUnusedRenditions(_ database: Database) throws {
        try execute(
            database,
            """
            DELETE FROM renditions WHERE NOT EXISTS (
                SELECT 1 FROM tallies WHERE rendition = renditions.id)
            """, [])
    }

    static func knownPicture(_ database: Database, _ digest: Digest) throws -> Int64? {
        let sql = "SELECT id FROM pictures WHERE \(IndexKeys.digest("pictures", is: "?1"))"
        return try number(database, sql, [digest.data])
    }

    /// Returns the number of a picture, and gives it one if it has none. A picture without a source
    /// gets this one.
    static func picture(
        _ database: Database, _ digest: Digest, source: String = ""
    ) throws -> Int64 {
        guard let id = try knownPicture(database, digest) else {
            try execute(
                database, "INSERT INTO pictures (digest, source) VALUES (?, ?)",
                [digest.data, source])
            return database.lastInsertedRowID
        }
        if !source.isEmpty {
            try execute(
                database, "UPDATE pictures SET source = ? WHERE id = ? AND source = ''",
                [source, id])
        }
        return id
    }
}
