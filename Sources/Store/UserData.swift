package import FoundationEssentials
import GRDB
import Glibc

/// What people keep: favourites and the searches they made. A database of its own, because unlike the
/// index it can't be made anew.
///
/// Calls suspend the caller, and a cancelled task gets its answer all the same; several processes can
/// share it.
package final class UserData: Sendable {
    /// Searches remembered; older ones go.
    package static let searchLimit = 200

    /// SQLite takes more, and each takes its time to prepare.
    private static let keysPerQuery = 500

    private let database: UserDatabase

    /// Opens, or creates and migrates, `keepsakes.sqlite` under `root`. Blocks. A file that is damaged
    /// is set aside, and what can be read of it saved.
    ///
    /// Where the policy goes on without the disk, a file that can't be written is no error, but for
    /// those who change something.
    package init(root: String, policy: StorePolicy = StorePolicy()) throws(StoreError) {
        database = try UserDatabase(
            try StoreLayout(opening: root, policy), policy, Self.migrator)
    }

    /// Whether there are any under `root`; looking doesn't make them. Blocks.
    package static func exist(under root: String) -> Bool {
        access("\(root)/v\(StoreLayout.version)/index/keepsakes.sqlite", F_OK) == 0
    }

    /// Idempotent; later calls throw.
    package func close() throws(StoreError) { try database.close() }

    /// How the database stands.
    package var status: StoreStatus { database.status }

    /// SQLite's own complaints; with `repair` a database that has some is begun anew with what can be
    /// read of it.
    package func verify(repair: Bool) async throws(StoreError) -> [String] {
        try await database.verify(repair: repair)
    }

    /// Newest first.
    package func favorites() async throws(StoreError) -> [FavoriteRecord] {
        try await read { database in
            let rows = try Row.fetchAll(
                database, sql: "SELECT item, addedAt FROM favorites ORDER BY addedAt DESC, item")
            return try rows.map { row in
                var columns = RowColumns(row)
                return FavoriteRecord(item: try columns.next(), addedAt: try columns.nextDate())
            }
        }
    }

    /// Returns which of these items are favorites. Costs a look-up for each, however many favorites
    /// there are.
    package func favorites(among items: [String]) async throws(StoreError) -> Set<String> {
        if items.isEmpty { return [] }
        return try await read { database in
            var found: Set<String> = []
            var rest = items[...]
            while !rest.isEmpty {
                let some = Array(rest.prefix(Self.keysPerQuery))
                rest = rest.dropFirst(Self.keysPerQuery)
                let marks = Array(repeating: "?", count: some.count).joined(separator: ", ")
                found.formUnion(
                    try String.fetchSet(
                        database, sql: "SELECT item FROM favorites WHERE item IN (\(marks))",
                        arguments: StatementArguments(some)))
            }
            return found
        }
    }

    /// Keeps an item, unless there are `limit` favorites already.
    package func addFavorite(
        _ item: String, limit: Int = .max, at now: Date
    ) async throws(StoreError) -> FavoriteAddition {
        try await write { database in
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO favorites (item, addedAt)
                    SELECT ?, ? WHERE (SELECT count(*) FROM favorites) < ?
                    """,
                arguments: [item, now.timeIntervalSince1970, limit])
            if database.changesCount > 0 { return .added }
            let isKnown = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM favorites WHERE item = ?)",
                arguments: [item])
            return isKnown == true ? .known : .full
        }
    }

    /// False where it was none.
    package func removeFavorite(_ item: String) async throws(StoreError) -> Bool {
        try await write { database in
            try database.execute(sql: "DELETE FROM favorites WHERE item = ?", arguments: [item])
            return database.changesCount > 0
        }
    }

    /// Newest first, each search once.
    package func searches() async throws(StoreError) -> [SearchRecord] {
        try await read { database in
            let rows = try Row.fetchAll(
                database,
                sql: "SELECT source, list, term, madeAt FROM searches ORDER BY madeAt DESC, term")
            return try rows.map { row in
                var columns = RowColumns(row)
                return SearchRecord(
                    source: try columns.next(), list: try columns.next(),
                    term: try columns.next(), madeAt: try columns.nextDate())
            }
        }
    }

    /// Remembers a search, or that it was made again.
    package func record(_ search: SearchRecord) async throws(StoreError) {
        try await write { database in
            try database.execute(
                sql:
                    "INSERT OR REPLACE INTO searches (source, list, term, madeAt) VALUES (?, ?, ?, ?)",
                arguments: [
                    search.source, search.list, search.term,
                    search.madeAt.timeIntervalSince1970,
                ])
            try database.execute(
                sql: """
                    DELETE FROM searches WHERE rowid NOT IN
                    (SELECT rowid FROM searches ORDER BY madeAt DESC LIMIT ?)
                    """,
                arguments: [Self.searchLimit])
        }
    }

    package func removeSearches() async throws(StoreError) {
        try await write { try $0.execute(sql: "DELETE FROM searches") }
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
        return migrator
    }

    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.read(body)
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        try await database.write(body)
    }
}

/// What came of adding a favorite.
package enum FavoriteAddition: Sendable {
    case added
    /// It was one already.
    case known
    /// There are as many as there may be.
    case full
}

/// An item that somebody keeps.
package struct FavoriteRecord: Sendable, Equatable {
    /// `tvmaze/show/1`.
    package var item: String
    package var addedAt: Date
}

/// A search that somebody made.
package struct SearchRecord: Sendable, Equatable {
    package var source: String
    package var list: String
    package var term: String
    package var madeAt: Date

    package init(source: String, list: String, term: String, madeAt: Date) {
        self.source = source
        self.list = list
        self.term = term
        self.madeAt = madeAt
    }
}
