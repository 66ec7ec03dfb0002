import GRDB
import Glibc
import Hashing

/// Opens a database of the store: creates and migrates it, moves a damaged one aside. Calls block.
struct DatabaseOpening: Sendable {
    /// The log is cut to this size when it starts over, so that a start after a crash reads little.
    private static let logBytes = 8 << 20

    let form: DatabaseForm
    let layout: StoreLayout
    let policy: StorePolicy

    struct Opened {
        var pool: DatabasePool
        var writes: WriteQueue
        var files: DatabaseFiles
        /// The path of the damaged file that it replaces.
        var setAside: String?
        /// Whether it was copied from an earlier layout.
        var hasMoved = false
    }

    /// Opens the file, in one process at a time. A file with the inode `damaged` is moved aside
    /// first.
    func open(replacing damaged: ino_t? = nil) throws(StoreError) -> Opened {
        do throws(Errno) {
            try layout.makeTree()
        } catch {
            // Other directories than its own don't matter to a database.
            if access(layout.index, R_OK | W_OK | X_OK) != 0 { throw layout.treeError(error) }
        }
        return try layout.withOpeningLock { () throws(StoreError) in
            var takesReserve = form.isRebuildable
            var aside: String?
            let hasMoved = try form.moveEarlierRows(layout)
            if let damaged {
                aside = try SetAside(layout: layout).take(form.path, inode: damaged)
            }
            let pool: DatabasePool
            do {
                do {
                    pool = try connect()
                } catch let error as DatabaseError where error.isDamage {
                    aside = try SetAside(layout: layout).take(form.path)
                    pool = try connect()
                } catch is DatabaseError where layout.releaseReserve() {
                    // SQLite needs a page of a full disk for its shared memory, too.
                    takesReserve = true
                    pool = try connect()
                }
            } catch {
                throw StoreError(index: error, layout, form.path)
            }
            if takesReserve { layout.takeReserve() }
            return Opened(
                pool: pool, writes: WriteQueue(limit: policy.writesPerTransaction),
                files: DatabaseFiles(at: form.path), setAside: aside, hasMoved: hasMoved)
        }
    }

    /// Connects and migrates, but reads only a few pages. Throws errors of GRDB and
    /// ``StoreError/unknownLayout(path:found:)``.
    private func connect() throws -> DatabasePool {
        try layout.refuseOtherKinds(at: form.path)
        try layout.prepareDatabase(form.path)
        let pool = try DatabasePool(path: form.path, configuration: configuration)
        if form.isRebuildable,
            let unknown = try pool.unsafeRead(form.migrator.appliedIdentifiers)
                .subtracting(form.migrator.migrations).min()
        {
            throw StoreError.unknownLayout(path: layout.root, found: "index \(unknown)")
        }
        try form.migrator.migrate(pool)
        // Reads one row of each table only, because a full check takes minutes on a large file.
        try pool.unsafeRead { database in
            for table in form.tables {
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

    /// Opens the file read-only; returns nil if that fails too. Without its shared memory SQLite
    /// can't read the log beside it, and then the log's rows are missing.
    func openToRead() -> DatabasePool? {
        var configuration = configuration
        configuration.readonly = true
        // The earlier rows count until the disk takes a copy of them.
        let paths = ([form.path] + (form.earlier.map { [$0] } ?? [])).filter(layout.isFile)
        for address in paths.flatMap(Self.readOnlyAddresses) {
            do {
                let pool = try DatabasePool(path: address, configuration: configuration)
                let applied = try pool.unsafeRead(form.migrator.appliedIdentifiers)
                // Older user data lacks tables, which then count as empty.
                if form.isRebuildable
                    ? applied == Set(form.migrator.migrations) : !applied.isEmpty
                {
                    return pool
                }
            } catch {
                // Tries the next way. The caller knows already why the file can't be opened for
                // writing.
            }
        }
        return nil
    }

    /// Returns addresses that open a file read-only, the better one first.
    private static func readOnlyAddresses(_ path: String) -> [String] {
        ["mode=ro", "immutable=1"].map { "file:\(PercentCoding.encoded(path, keeping: "/"))?\($0)" }
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = form.label
        configuration.busyMode = .timeout(policy.lockTimeout)
        // GRDB sets ten seconds for reading connections itself.
        let timeout = Int(policy.lockTimeout * 1_000)
        // Pages in the log after which they are copied into the database.
        let logPages = layout.reservedLogPages()
        let isDurable = policy.durability == .power
        configuration.prepareDatabase { database in
            try database.execute(
                sql: """
                    PRAGMA busy_timeout = \(timeout);
                    PRAGMA temp_store = MEMORY;
                    PRAGMA journal_size_limit = \(Self.logBytes);
                    PRAGMA wal_autocheckpoint = \(logPages);
                    """)
            // What is confirmed has to survive a power cut, too.
            if isDurable { try database.execute(sql: "PRAGMA synchronous = FULL") }
            // Only a new file takes it. Free pages can then be given back in steps.
            if !database.configuration.readonly {
                try database.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
            }
        }
        configuration.maximumReaderCount = form.readers
        configuration.foreignKeysEnabled = true
        return configuration
    }
}

extension StoreLayout {
    /// Refuses everything but files in the place of a database and of what SQLite keeps beside it. SQLite would
    /// wait for the other end of a named pipe, and doesn't name a directory or a loop of links.
    func refuseOtherKinds(at path: String) throws(StoreError) {
        for name in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            if stat(name, &status) == 0 {
                if status.isRegular { continue }
                throw notAFile(name, "it is \(status.kind), not a file")
            }
            // SQLite makes what is missing.
            if errno == ENOENT { continue }
            let cause = Errno(errno)
            throw cause.code == ELOOP ? notAFile(name, cause.reason) : error(cause, "open", name)
        }
    }

    /// Returns whether a database and what is beside it are files, as far as they are there.
    fileprivate func isFile(_ path: String) -> Bool {
        do throws(StoreError) {
            try refuseOtherKinds(at: path)
            return true
        } catch {
            return false
        }
    }
}
