package import FoundationEssentials
import GRDB

/// A remembered search.
package struct SearchRecord: Sendable, Equatable {
    package var source: String
    package var list: String
    /// The words that were searched for, for people.
    package var term: String
    /// The list's parameters with these words; empty if the words are those of its usual one.
    package var parameters: [String: String]
    package var madeAt: Date

    package init(
        source: String, list: String, term: String, parameters: [String: String] = [:],
        madeAt: Date
    ) {
        self.source = source
        self.list = list
        self.term = term
        self.parameters = parameters
        self.madeAt = madeAt
    }

    fileprivate static let noParameters = "{}"

    /// The parameters as they are stored: equal ones have one text.
    fileprivate var parameterText: String {
        if parameters.isEmpty { return Self.noParameters }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts can always be encoded.
        return (try? encoder.encode(parameters)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
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
                sql: """
                    SELECT source, list, term, madeAt, parameters FROM searches
                    ORDER BY madeAt DESC, term, parameters
                    """)
            return try rows.map { row in
                var columns = RowColumns(row)
                var search = SearchRecord(
                    source: try columns.next(), list: try columns.next(),
                    term: try columns.next(), madeAt: try columns.nextNearestDate())
                let text: String = try columns.next()
                search.parameters =
                    (try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))) ?? [:]
                return search
            }
        }
    }

    /// Searches that begin alike within this many seconds are one that was being typed.
    package static let typingTime = 10.0

    /// Adds a search, or renews its date. A search that was made while this one was being typed, or
    /// shortened, is removed. Words of other parameters are not typed letter by letter.
    package func record(_ search: SearchRecord) async throws(StoreError) {
        try await write { database in
            if search.parameters.isEmpty {
                try database.execute(
                    sql: """
                        DELETE FROM searches WHERE source = ?1 AND list = ?2 AND term <> ?3
                        AND parameters = ?5 AND madeAt > ?4 AND (substr(?3, 1, length(term)) = term
                            OR substr(term, 1, length(?3)) = ?3)
                        """,
                    arguments: [
                        search.source, search.list, search.term,
                        search.madeAt.timeIntervalSince1970 - Self.typingTime,
                        SearchRecord.noParameters,
                    ])
            }
            try database.execute(
                sql:
                    """
                    INSERT OR REPLACE INTO searches (source, list, term, madeAt, parameters)
                    VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    search.source, search.list, search.term,
                    search.madeAt.timeIntervalSince1970, search.parameterText,
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
