package import FoundationEssentials
import GRDB

/// A remembered search.
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

extension UserData {
    /// Limit of searches. The oldest are removed.
    package static let searchLimit = 200

    /// Returns the searches, newest first, each once.
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

    /// Adds a search, or renews its date.
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
}
