import GRDB

/// The tables of the index.
enum IndexSchema {
    /// Reading connections and threads.
    static let readers = 4

    static func form(_ layout: StoreLayout) -> DatabaseForm {
        DatabaseForm(
            label: "index", path: layout.database, readers: readers, migrator: migrator,
            tables: tables + permanentTables, isRebuildable: true,
            salvage: { try IndexSalvage(path: $0).copy(into: $1) })
    }

    /// Tables whose rows come and go.
    static let tables = [
        "items", "resolutions", "thumbnails", "originals", "pictures",
        "documents", "quarantine",
    ]
    /// Tables that are never emptied.
    private static let permanentTables = ["renditions", "tallies", "totals"]

    /// Digests are 32 bytes, dates milliseconds since 1970. STRICT guarantees the type of each
    /// value.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("pictures") { database in
            for sql in [
                keyTables, OriginalRecord.table, ThumbnailRecord.table,
                ItemRecord.tables, DocumentRecord.table, QuarantineRecord.table,
                IndexCounters.tables, IndexCounters.triggers,
            ] {
                try database.execute(sql: sql)
            }
        }
        return migrator
    }

    /// A picture is an original's digest. Its source is that of the first item that showed it, and empty if no
    /// item did.
    ///
    /// Digests are indexed by their first bytes, and the row decides. What a grid shows before the picture is
    /// loaded stands beside it.
    private static let keyTables = """
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
        CREATE INDEX picturesOfSheets ON pictures (source) WHERE source = '\(IndexRows.sheets)';
        """
}
