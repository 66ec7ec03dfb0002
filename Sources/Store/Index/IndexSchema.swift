import GRDB
import Glibc

/// The tables, and opening a database with them.
enum IndexSchema {
    /// Reading connections and threads. Each connection caches up to 2 MB of pages.
    static let readers = 4
    /// The log is cut to this size when it starts over, so that a start after a crash reads little.
    private static let logBytes = 8 << 20

    /// Opens and migrates the database. Blocks, but reads only a few pages. Throws errors of GRDB
    /// and ``StoreError/unknownLayout(path:found:)``.
    static func open(_ layout: StoreLayout, _ policy: StorePolicy) throws -> DatabasePool {
        try SQLiteFile.prepare(layout.database, layout)
        let pool = try DatabasePool(
            path: layout.database, configuration: configuration(layout, policy))
        let migrator = self.migrator
        if let unknown = try pool.unsafeRead(migrator.appliedIdentifiers)
            .subtracting(migrator.migrations).min()
        {
            throw StoreError.unknownLayout(path: layout.root, found: "index \(unknown)")
        }
        try migrator.migrate(pool)
        // Reads one row of each table only, because a full check takes minutes on a large index.
        try pool.unsafeRead { database in
            for table in tables + permanentTables {
                do {
                    _ = try Row.fetchOne(database, sql: "SELECT * FROM \(table) LIMIT 1")
                } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                    throw DatabaseError(
                        resultCode: .SQLITE_CORRUPT, message: "the table \(table) is missing")
                }
            }
        }
        return pool
    }

    /// Opens a file read-only; returns nil if that fails too. Without its shared memory SQLite
    /// can't read the log beside it, and then the log's rows are missing.
    static func openToRead(_ layout: StoreLayout, _ policy: StorePolicy) -> DatabasePool? {
        openToRead(layout.database, layout, policy) { $0 == Set(migrator.migrations) }
    }

    /// Opens any database of the store read-only, if its migrations are known.
    static func openToRead(
        _ path: String, _ layout: StoreLayout, _ policy: StorePolicy,
        _ isKnown: (Set<String>) -> Bool
    ) -> DatabasePool? {
        var configuration = configuration(layout, policy)
        configuration.readonly = true
        for address in SQLiteFile.readOnlyAddresses(path) {
            do {
                let pool = try DatabasePool(path: address, configuration: configuration)
                if isKnown(try pool.unsafeRead(migrator.appliedIdentifiers)) { return pool }
            } catch {
                // Tries the next way. The caller knows already why the file can't be opened for
                // writing.
            }
        }
        return nil
    }

    private static func configuration(
        _ layout: StoreLayout, _ policy: StorePolicy
    ) -> Configuration {
        var configuration = Configuration()
        configuration.label = "index"
        configuration.busyMode = .timeout(policy.lockTimeout)
        // GRDB sets ten seconds for reading connections itself.
        let timeout = Int(policy.lockTimeout * 1_000)
        // Pages in the log after which they are copied into the database.
        let logPages = IndexReserve(layout: layout).logPages()
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA busy_timeout = \(timeout);
                    PRAGMA temp_store = MEMORY;
                    PRAGMA journal_size_limit = \(logBytes);
                    PRAGMA wal_autocheckpoint = \(logPages);
                    """)
            // What is confirmed has to survive a power cut, too.
            if policy.durability == .power {
                try database.execute(sql: "PRAGMA synchronous = FULL")
            }
            // Only a new file takes it. Free pages can then be given back in steps.
            if !database.configuration.readonly {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
        }
        configuration.maximumReaderCount = readers
        configuration.foreignKeysEnabled = true
        return configuration
    }

    /// Tables whose rows come and go.
    static let tables = [
        "bindings", "resolutions", "items", "thumbnails", "originals", "summaries", "pictures",
        "documents", "quarantine",
    ]
    /// Tables that are never emptied.
    private static let permanentTables = ["words", "renditions", "tallies", "totals", "imports"]

    /// Digests are 32 bytes, dates milliseconds since 1970. STRICT guarantees the type of each
    /// value.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("pictures") { database in
            for sql in [
                IndexKeys.tables, OriginalRecord.table, ThumbnailRecord.table,
                BindingRecord.tables, DocumentRecord.table, SummaryRecord.table,
                QuarantineRecord.table, ImportProgress.table, IndexCounters.tables,
                IndexCounters.triggers,
            ] {
                try database.execute(sql: sql)
            }
        }
        return migrator
    }
}
