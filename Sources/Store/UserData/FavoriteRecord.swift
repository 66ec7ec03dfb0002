package import FoundationEssentials
import GRDB

/// A favorite item.
package struct FavoriteRecord: Sendable, Equatable {
    /// `tvmaze/show/1`.
    package var item: String
    package var addedAt: Date

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
    /// Far below any that is given. SQLite has no number below its least one.
    private static let leastPosition = -1 << 53

    /// SQLite allows more, but longer statements take longer to prepare.
    private static let keysPerQuery = 500

    /// Returns all favorites in their order. New ones come first.
    package func favorites() async throws(StoreError) -> [FavoriteRecord] {
        try await read { database in
            // An older file that can't be written has no positions.
            let hasPositions = try database.columns(in: "favorites")
                .contains { $0.name == "position" }
            let order = hasPositions ? "position, addedAt DESC, item" : "addedAt DESC, item"
            let rows = try Row.fetchAll(
                database, sql: "SELECT item, addedAt FROM favorites ORDER BY \(order)")
            return try rows.map { row in
                var columns = RowColumns(row)
                return FavoriteRecord(
                    item: try columns.next(), addedAt: try columns.nextNearestDate())
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
            // Damaged positions stay in front of the others, and leave room for one before them.
            try database.execute(
                sql: "UPDATE favorites SET position = ?1 WHERE position < ?1",
                arguments: [Self.leastPosition])
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO favorites (item, addedAt, position)
                    SELECT ?, ?, (SELECT coalesce(min(position), 0) - 1 FROM favorites)
                    WHERE (SELECT count(*) FROM favorites) < ?
                    """,
                arguments: [item, now.timeIntervalSince1970, limit])
            if database.changesCount > 0 { return .added }
            let isKnown = try Bool.fetchOne(
                database, sql: "SELECT EXISTS (SELECT 1 FROM favorites WHERE item = ?)",
                arguments: [item])
            return isKnown == true ? .known : .full
        }
    }

    /// Puts the favorites in this order. Those that are not named come after, in their own order.
    /// Names that are not favorites, and repeated ones, change nothing.
    package func orderFavorites(_ items: [String]) async throws(StoreError) {
        try await write { database in
            let known = try String.fetchAll(
                database,
                sql: "SELECT item FROM favorites ORDER BY position, addedAt DESC, item")
            let all = Set(known)
            var placed: Set<String> = []
            let first = items.filter { all.contains($0) && placed.insert($0).inserted }
            let rest = known.filter { !placed.contains($0) }
            let statement = try database.cachedStatement(
                sql: "UPDATE favorites SET position = ? WHERE item = ?")
            for (position, item) in (first + rest).enumerated() {
                try statement.execute(arguments: [position, item])
            }
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

extension RowColumns {
    /// Reads seconds since 1970. A date of no calendar becomes the nearest one: what people chose can't be made
    /// again, and is shown whatever is damaged beside it.
    mutating func nextNearestDate() throws -> Date {
        let (seconds, dates): (Double, _) = (try next(), IndexRows.dates)
        return try date(min(max(seconds, dates.lowerBound), dates.upperBound.nextDown))
    }
}
