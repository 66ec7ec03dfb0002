package import FoundationEssentials
import GRDB
import Glibc
import Threads

/// Favorites, pins, search history and blocks. They have their own database, because they can't be rebuilt like
/// the index.
///
/// Calls suspend the caller, and a canceled task still gets its result. Several processes can share
/// it.
package final class UserData: Sendable {
    let layout: StoreLayout
    private let policy: StorePolicy
    private let reporter: StoreReporter
    let threads = ThreadPool("store-user-data", count: 1)
    private let database: StoreDatabase

    /// Opens, or creates and migrates, `keepsakes.sqlite` under `root`. Blocks. A damaged file is
    /// moved aside, and its readable rows are copied.
    ///
    /// If the policy allows to work from memory, a read-only file is not an error until something
    /// is changed.
    package init(root: String, policy: StorePolicy = StorePolicy()) throws(StoreError) {
        layout = try StoreLayout(opening: root, policy)
        self.policy = policy
        reporter = StoreReporter(policy)
        database = try StoreDatabase(
            DatabaseForm(
                label: "user data", path: layout.userData,
                earlier: layout.earlier.map(\.userData).first { access($0, F_OK) == 0 }, readers: 1,
                migrator: Self.migrator,
                tables: [], isRebuildable: false, salvage: { try Salvage(path: $0).copy(into: $1) }),
            layout, policy, reporter, threads)
    }

    /// Returns whether the database exists under `root`, without creating it. Blocks.
    package static func exist(under root: String) -> Bool {
        access("\(root)/v\(StoreLayout.version)/index/keepsakes.sqlite", F_OK) == 0
    }

    /// Closes the database. Later calls throw. Idempotent.
    package func close() throws(StoreError) { try database.close() }

    /// Reopens the database if its file was removed or replaced since it was opened.
    func openAnewIfRemoved() async {
        await threads.run { [database] in _ = database.openAnewIfRemoved() }
    }

    /// The state of the database.
    package var status: StoreStatus { reporter.status }

    /// Returns SQLite's complaints. With `repair` a damaged database is replaced by one with its
    /// readable rows.
    package func verify(repair: Bool) async throws(StoreError) -> [String] {
        try await threads.run { [database] () throws(StoreError) in
            let complaints = try database.complaints()
            if repair, !complaints.isEmpty { database.replaceDamaged() }
            return complaints
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("favorites and searches") { database in
            try database.execute(
                sql: """
                    CREATE TABLE favorites (item TEXT PRIMARY KEY, addedAt REAL NOT NULL) STRICT;
                    CREATE TABLE searches (
                        source TEXT NOT NULL, list TEXT NOT NULL, term TEXT NOT NULL,
                        madeAt REAL NOT NULL, UNIQUE (source, list, term)) STRICT;
                    """)
        }
        migrator.registerMigration("pins") { database in
            try database.execute(
                sql: "CREATE TABLE pins (item TEXT PRIMARY KEY, addedAt REAL NOT NULL) STRICT")
        }
        migrator.registerMigration("parameters of searches") { database in
            try database.execute(
                sql: """
                    CREATE TABLE newSearches (
                        source TEXT NOT NULL, list TEXT NOT NULL, term TEXT NOT NULL,
                        madeAt REAL NOT NULL, parameters TEXT NOT NULL DEFAULT '{}',
                        UNIQUE (source, list, term, parameters)) STRICT;
                    INSERT INTO newSearches (source, list, term, madeAt)
                        SELECT source, list, term, madeAt FROM searches;
                    DROP TABLE searches;
                    ALTER TABLE newSearches RENAME TO searches;
                    """)
        }
        migrator.registerMigration("order of favorites") { database in
            // Rows of the same position are shown newest first.
            try database.execute(
                sql: "ALTER TABLE favorites ADD COLUMN position INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("blocks", migrate: createBlocks)
        return migrator
    }

    /// Reads, and throws if the file can't be read, even after it was opened once more. A file that was never
    /// written has nothing. Blocks.
    func readStrictlyNow<Value>(
        orNothing nothing: Value, _ body: (Database) throws -> Value
    ) throws(StoreError) -> Value {
        do throws(StoreError) {
            return try database.read(body)
        } catch {
            if error == .stopped { throw error }
            if !database.isWritable, database.reopen() { return try database.read(body) }
            guard hasNothing(layout.userData),
                layout.earlier.allSatisfy({ hasNothing($0.userData) })
            else { throw error }
            return nothing
        }
    }

    /// Returns whether a file is missing, or empty, as a full disk leaves it.
    private func hasNothing(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await threads.run { [self] () throws(StoreError) in
            do throws(StoreError) {
                return try database.read(body)
            } catch {
                guard policy.worksFromMemory, error != .stopped else { throw error }
                // A catalog page must not fail because favorites can't be read.
                reporter.note(.unreadable(error))
                do {
                    let empty = try DatabaseQueue()
                    try Self.migrator.migrate(empty)
                    return try empty.read(body)
                } catch {
                    throw StoreError(index: error, layout, layout.userData)
                }
            }
        }
    }

    /// Writes in one transaction. A file that was not writable, or is damaged, is opened again
    /// first.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await threads.run { [self] () throws(StoreError) in
            if !database.isWritable, database.reopen() { reporter.note(.caughtUp) }
            var result = database.writeNow(body)
            if case .failure(let failure) = result, let damaged = failure.damaged {
                database.replaceDamaged(damaged)
                result = database.writeNow(body)
            }
            do throws(StoreDatabase.WriteFailure) {
                return try result.get()
            } catch {
                if error.cause != .stopped { reporter.note(.unwritten(error.cause)) }
                throw error.cause
            }
        }
    }

    // MARK: - Items whose thumbnails are not evicted

    /// Pins items. Returns how many were not pinned before.
    package func pin(_ items: [String], at now: Date) async throws(StoreError) -> Int {
        try await write { database in
            var added = 0
            for item in items {
                try database.execute(
                    sql: "INSERT OR IGNORE INTO pins (item, addedAt) VALUES (?, ?)",
                    arguments: [item, now.timeIntervalSince1970])
                added += database.changesCount
            }
            return added
        }
    }

    /// Returns how many of the items were pinned.
    package func unpin(_ items: [String]) async throws(StoreError) -> Int {
        try await write { database in
            var removed = 0
            for item in items {
                try database.execute(sql: "DELETE FROM pins WHERE item = ?", arguments: [item])
                removed += database.changesCount
            }
            return removed
        }
    }

    /// Returns pinned items and favorites, in the order in which they were added, each once.
    func protectedItems() async throws(StoreError) -> [String] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT item, min(addedAt) AS addedAt FROM (
                        SELECT item, addedAt FROM pins UNION ALL
                        SELECT item, addedAt FROM favorites)
                    GROUP BY item ORDER BY addedAt, item DESC
                    """
            ).map { row -> String in
                var columns = RowColumns(row)
                return try columns.next()
            }
        }
    }
}
