import GRDB
import Glibc

/// The tables, and how a database with them is opened.
enum IndexSchema {
    /// Blocks. Throws what GRDB throws, and ``StoreError/unknownLayout(path:found:)``.
    static func open(_ layout: StoreLayout, _ policy: StorePolicy) throws -> DatabasePool {
        try PrivateDatabase.prepare(layout.database, layout)
        let pool = try DatabasePool(path: layout.database, configuration: configuration(policy))
        let migrator = self.migrator
        if let unknown = try pool.unsafeRead(migrator.appliedIdentifiers)
            .subtracting(migrator.migrations).min()
        {
            throw StoreError.unknownLayout(path: layout.root, found: "index \(unknown)")
        }
        try migrator.migrate(pool)
        // A look at each table, and no more: a whole check takes minutes on a large index.
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

    /// Opens a file that can't be written, or nothing where it can't be read either. Without its
    /// shared memory SQLite can't read the log beside it: then what the log has is missing.
    static func openToRead(_ layout: StoreLayout, _ policy: StorePolicy) -> DatabasePool? {
        var configuration = configuration(policy)
        configuration.readonly = true
        for address in SQLiteAddress.readOnly(layout.database) {
            do {
                let pool = try DatabasePool(path: address, configuration: configuration)
                let applied = try pool.unsafeRead(migrator.appliedIdentifiers)
                if applied == Set(migrator.migrations) { return pool }
            } catch {
                // The next way, or none: the caller knows already why it can't be opened as it should.
            }
        }
        return nil
    }

    private static func configuration(_ policy: StorePolicy) -> Configuration {
        var configuration = Configuration()
        configuration.label = "index"
        configuration.busyMode = .timeout(policy.lockPatience)
        // GRDB gives connections that read ten seconds of their own.
        let patience = Int(policy.lockPatience * 1_000)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA busy_timeout = \(patience)")
        }
        configuration.maximumReaderCount = Index.readers
        configuration.foreignKeysEnabled = true
        return configuration
    }

    static let tables = [
        "originals", "thumbnails", "bindings", "documents", "summaries", "quarantine",
    ]

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
    /// Another connection has the lock.
    var isBusy: Bool { resultCode == .SQLITE_BUSY }
}

/// Addresses of database files, which say more than a path.
enum SQLiteAddress {
    /// Ways to open a file that can't be written, the better first.
    static func readOnly(_ path: String) -> [String] {
        ["mode=ro", "immutable=1"].map { "file:\(escaped(path))?\($0)" }
    }

    private static func escaped(_ path: String) -> String {
        path.utf8.map { byte in
            let character = Character(UnicodeScalar(byte))
            let isPlain = byte < 0x80 && (character.isLetter || character.isNumber)
            if isPlain || "/-_.~".contains(character) { return String(character) }
            let hex = String(byte, radix: 16, uppercase: true)
            return "%" + (hex.count < 2 ? "0" : "") + hex
        }.joined()
    }
}

/// The modes of a database and of the files that SQLite keeps beside it, which get those of the
/// database.
enum PrivateDatabase {
    /// Makes the file where it is missing, so that SQLite doesn't with more rights, and takes the
    /// rights of others away from those of an earlier version. Call it under the opening lock.
    ///
    /// A file that is there is never opened: closing it would release the locks that SQLite has on it
    /// in this process.
    static func prepare(_ path: String, _ layout: StoreLayout) throws(StoreError) {
        for name in [path, path + "-wal", path + "-shm"] {
            try layout.trying("open", name) { () throws(Errno) in
                if let status = try fileStatus(name) {
                    guard status.isRegular, status.st_uid == geteuid(), status.st_mode & 0o077 != 0
                    else { return }
                    try Errno.check { chmod(name, StoreLayout.fileMode) }
                } else if name == path {
                    _ = try FileDescriptor(
                        opening: name, O_CREAT | O_EXCL | O_RDWR, mode: StoreLayout.fileMode)
                }
            }
        }
    }
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
