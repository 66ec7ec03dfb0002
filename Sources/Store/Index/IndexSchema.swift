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
                IndexKeys.tables, OriginalRecord.table, ThumbnailRecord.table,
                ItemRecord.tables, DocumentRecord.table, QuarantineRecord.table,
                IndexCounters.tables, IndexCounters.triggers,
            ] {
                try database.execute(sql: sql)
            }
        }
        return migrator
    }
}
