import GRDB
import Glibc

/// Favorites and search history. They have their own database, because they can't be rebuilt like
/// the index.
///
/// Calls suspend the caller, and a canceled task still gets its result. Several processes can share
/// it.
package final class UserData: Sendable {
    private let database: UserDatabase

    /// Opens, or creates and migrates, `keepsakes.sqlite` under `root`. Blocks. A damaged file is
    /// moved aside, and its readable rows are copied.
    ///
    /// If the policy allows to work from memory, a read-only file is not an error until something
    /// is changed.
    package init(root: String, policy: StorePolicy = StorePolicy()) throws(StoreError) {
        database = try UserDatabase(
            try StoreLayout(opening: root, policy), policy, Self.migrator)
    }

    /// Returns whether the database exists under `root`, without creating it. Blocks.
    package static func exist(under root: String) -> Bool {
        access("\(root)/v\(StoreLayout.version)/index/keepsakes.sqlite", F_OK) == 0
    }

    /// Closes the database. Later calls throw. Idempotent.
    package func close() throws(StoreError) { try database.close() }

    /// The state of the database.
    package var status: StoreStatus { database.status }

    /// Returns SQLite's complaints. With `repair` a damaged database is replaced by one with its
    /// readable rows.
    package func verify(repair: Bool) async throws(StoreError) -> [String] {
        try await database.verify(repair: repair)
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
        return migrator
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.read(body)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.write(body)
    }
}
