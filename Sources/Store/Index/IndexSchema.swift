import GRDB
import Glibc

/// The tables, and opening a database with them.
enum IndexSchema {
    /// Reading connections and threads. Each connection caches up to 2 MB of pages.
    static let readers = 4

    /// Opens and migrates the database. Blocks. Throws errors of GRDB and
    /// ``StoreError/unknownLayout(path:found:)``.
    static func open(_ layout: StoreLayout, _ policy: StorePolicy) throws -> DatabasePool {
        try SQLiteFile.prepare(layout.database, layout)
        let pool = try DatabasePool(path: layout.database, configuration: configuration(policy))
        let migrator = self.migrator
        if let unknown = try pool.unsafeRead(migrator.appliedIdentifiers)
            .subtracting(migrator.migrations).min()
        {
            throw StoreError.unknownLayout(path: layout.root, found: "index \(unknown)")
        }
        try migrator.migrate(pool)
        // Reads one row of each table only, because a full check takes minutes on a large index.
        try pool.unsafeRead { database in
            for table in tables {
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
        var configuration = configuration(policy)
        configuration.readonly = true
        for address in SQLiteFile.readOnlyAddresses(layout.database) {
            do {
                let pool = try DatabasePool(path: address, configuration: configuration)
                let applied = try pool.unsafeRead(migrator.appliedIdentifiers)
                if applied == Set(migrator.migrations) { return pool }
            } catch {
                // Tries the next way. The caller knows already why the file can't be opened for
                // writing.
            }
        }
        return nil
    }

    private static func configuration(_ policy: StorePolicy) -> Configuration {
        var configuration = Configuration()
        configuration.label = "index"
        configuration.busyMode = .timeout(policy.lockTimeout)
        // GRDB sets ten seconds for reading connections itself.
        let timeout = Int(policy.lockTimeout * 1_000)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA busy_timeout = \(timeout)")
        }
        configuration.maximumReaderCount = readers
        configuration.foreignKeysEnabled = true
        return configuration
    }

    static let tables = [
        "originals", "thumbnails", "bindings", "documents", "summaries", "quarantine",
    ]

    /// Digests are 32 bytes, dates seconds since 1970. STRICT guarantees the type of each value.
    /// WITHOUT ROWID saves a second tree for short rows.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            for table in [
                OriginalRecord.table, ThumbnailRecord.table, BindingRecord.table,
                DocumentRecord.table,
            ] {
                try database.execute(sql: table)
            }
        }
        migrator.registerMigration("summaries") { database in
            try database.execute(sql: SummaryRecord.table)
        }
        migrator.registerMigration("quarantine") { database in
            try database.execute(sql: QuarantineRecord.table)
        }
        return migrator
    }
}
