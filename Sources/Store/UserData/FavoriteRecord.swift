package import FoundationEssentials
import GRDB

/// A favorite item.
package struct FavoriteRecord: Sendable, Equatable {
    /// `tvmaze/show/1`.
    package var item: String
    package var addedAt: Date
}

extension FavoriteRecord {
    /// The result of adding a favorite.
    package enum Addition: Sendable {
        case added
        /// It was a favorite already.
        case known
        /// The limit of favorites is reached.
        case full
        /// The thumbnails of pinned items take as much of the budget as they may.
        case noRoom
    }
}

extension UserData {
    /// SQLite allows more, but longer statements take longer to prepare.
    private static let keysPerQuery = 500

    /// Returns all favorites, newest first.
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

    /// Returns which of these items are favorites. Costs one look-up per item, however many
    /// favorites there are.
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

    /// Adds a favorite, unless there are `limit` already.
    package func addFavorite(
        _ item: String, limit: Int = .max, at now: Date
    ) async throws(StoreError) -> FavoriteRecord.Addition {
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

    /// Returns false if it was not a favorite.
    package func removeFavorite(_ item: String) async throws(StoreError) -> Bool {
        try await write { database in
            try database.execute(sql: "DELETE FROM favorites WHERE item = ?", arguments: [item])
            return database.changesCount > 0
        }
    }
}
