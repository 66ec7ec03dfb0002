package import FoundationEssentials
import GRDB

/// An item whose thumbnails are not evicted.
package struct PinRecord: Sendable, Equatable {
    /// `tvmaze/show/1`.
    package var item: String
    package var addedAt: Date
}

extension UserData {
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

    /// Returns pinned items, newest first.
    package func pins() async throws(StoreError) -> [PinRecord] {
        try await read { try Self.records($0, "SELECT item, addedAt FROM pins") }
    }

    /// Returns pinned items and favorites, in the order in which they were added, each once.
    func protectedItems() async throws(StoreError) -> [String] {
        let all = try await read { database in
            try Self.records(
                database,
                "SELECT item, min(addedAt) AS addedAt FROM (SELECT item, addedAt FROM pins "
                    + "UNION ALL SELECT item, addedAt FROM favorites) GROUP BY item")
        }
        return all.reversed().map(\.item)
    }

    private static func records(_ database: Database, _ sql: String) throws -> [PinRecord] {
        try Row.fetchAll(database, sql: sql + " ORDER BY addedAt DESC, item").map { row in
            var columns = RowColumns(row)
            return PinRecord(item: try columns.next(), addedAt: try columns.nextDate())
        }
    }
}
