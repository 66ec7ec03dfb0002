import GRDB
import Synchronization

/// The tables, and how a database with them is opened.
enum IndexSchema {
    /// Blocks. Throws what GRDB throws, and ``StoreError/unknownLayout(path:found:)``.
    static func open(_ layout: StoreLayout) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "index"
        configuration.busyMode = .timeout(Index.writePatience)
        configuration.maximumReaderCount = Index.readers
        configuration.foreignKeysEnabled = true
        let pool = try DatabasePool(path: layout.database, configuration: configuration)
        let migrator = self.migrator
        if let unknown = try pool.unsafeRead(migrator.appliedIdentifiers)
            .subtracting(migrator.migrations).min()
        {
            throw StoreError.unknownLayout(path: layout.root, found: "index \(unknown)")
        }
        try migrator.migrate(pool)
        return pool
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            try database.execute(sql: version1)
        }
        migrator.registerMigration("summaries") { database in
            try database.execute(sql: summaries)
        }
        migrator.registerMigration("quarantine") { database in
            try database.execute(sql: quarantine)
        }
        return migrator
    }

    /// Digests are 32 bytes, dates seconds since 1970. STRICT: what is read has the type that was
    /// meant. WITHOUT ROWID where rows are short: one tree instead of two to search.
    private static let version1 = """
        CREATE TABLE originals (
            url TEXT NOT NULL PRIMARY KEY,
            digest BLOB CHECK (length(digest) = 32),
            byteCount INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            format TEXT NOT NULL,
            entityTag TEXT,
            lastModified TEXT,
            fetchedAt REAL NOT NULL,
            freshUntil REAL NOT NULL,
            failureKind TEXT,
            failureReason TEXT,
            failureUntil REAL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX originalsByDigest ON originals (digest) WHERE digest IS NOT NULL;

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

        CREATE TABLE bindings (
            item TEXT NOT NULL,
            level TEXT NOT NULL,
            original BLOB CHECK (length(original) = 32),
            url TEXT,
            failureKind TEXT,
            failureReason TEXT,
            failureUntil REAL,
            trace BLOB NOT NULL,
            resolvedAt REAL NOT NULL,
            freshUntil REAL NOT NULL,
            PRIMARY KEY (item, level)
        ) STRICT;
        CREATE INDEX bindingsByOriginal ON bindings (original) WHERE original IS NOT NULL;

        CREATE TABLE documents (
            key TEXT NOT NULL PRIMARY KEY,
            body BLOB NOT NULL,
            fetchedAt REAL NOT NULL,
            expiresAt REAL NOT NULL
        ) STRICT;
        """

    private static let summaries = """
        CREATE TABLE summaries (
            original BLOB NOT NULL PRIMARY KEY CHECK (length(original) = 32),
            thumbHash BLOB NOT NULL,
            colour TEXT NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    private static let quarantine = """
        CREATE TABLE quarantine (
            original BLOB NOT NULL PRIMARY KEY CHECK (length(original) = 32),
            recipe TEXT NOT NULL,
            reason TEXT NOT NULL,
            at REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX quarantineByAge ON quarantine (at);
        """
}

extension DatabaseError {
    /// The file isn't a database, or is one no more.
    var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(resultCode) }
}

extension StoreError {
    /// What SQLite's failure means to the caller.
    init(index error: any Error, _ layout: StoreLayout) {
        switch error {
        case let error as StoreError:
            self = error
        case let error as DatabaseError:
            // Never `error.description`: that has the statement with its values.
            let reason = error.message ?? "\(error.resultCode)"
            switch error.resultCode {
            case .SQLITE_FULL:
                self = .diskFull(path: layout.root)
            case .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
                self = .unusable(path: layout.root, reason: reason)
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                self = .index(
                    reason: "another process kept it locked for \(Int(Index.writePatience)) s")
            default:
                self = .index(reason: reason)
            }
        default:
            self = .index(reason: "\(error)")
        }
    }
}
