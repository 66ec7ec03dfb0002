package import FoundationEssentials
import GRDB

/// What people keep: favourites and the searches they made. A database of its own, because unlike the
/// index it can't be made anew.
///
/// Calls suspend the caller, and a cancelled task gets its answer all the same; several processes can
/// share it.
package final class Keepsakes: Sendable {
    /// Searches remembered; older ones go.
    package static let searchLimit = 200

    private let layout: StoreLayout
    private let queue: DatabaseQueue

    /// Opens, or creates and migrates, `keepsakes.sqlite` under `root`. Blocks.
    package init(root: String) throws(StoreError) {
        let layout = try StoreLayout(opening: root)
        self.layout = layout
        var configuration = Configuration()
        configuration.label = "keepsakes"
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(Index.writePatience)
        do {
            queue = try Index.withOpeningLock(layout) { () throws(StoreError) in
                do {
                    let queue = try DatabaseQueue(
                        path: layout.keepsakes, configuration: configuration)
                    try Self.migrator.migrate(queue)
                    return queue
                } catch {
                    throw StoreError(index: error, layout)
                }
            }
        }
    }

    /// Idempotent; later calls throw.
    package func close() throws(StoreError) {
        do {
            try queue.close()
        } catch {
            throw StoreError(index: error, layout)
        }
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

    /// Which of these items are favourites.
    package func favorites(among items: [String]) async throws(StoreError) -> Set<String> {
        try await read { database in
            let known = try String.fetchSet(database, sql: "SELECT item FROM favorites")
            return known.intersection(items)
        }
    }

    /// False where it was one already.
    package func addFavorite(_ item: String, at now: Date) async throws(StoreError) -> Bool {
        try await write { database in
            try database.execute(
                sql: "INSERT OR IGNORE INTO favorites (item, addedAt) VALUES (?, ?)",
                arguments: [item, now.timeIntervalSince1970])
            return database.changesCount > 0
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
        let result = await withCheckedContinuation { continuation in
            queue.asyncRead { database in
                continuation.resume(returning: Result { try body(database.get()) })
            }
        }
        return try mapped(result)
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            queue.asyncWrite(body) { _, result in continuation.resume(returning: result) }
        }
        return try mapped(result)
    }

    private func mapped<Value>(
        _ result: Result<Value, any Error>
    ) throws(StoreError) -> Value {
        do {
            return try result.get()
        } catch {
            throw StoreError(index: error, layout)
        }
    }
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
