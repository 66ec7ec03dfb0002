package import FoundationEssentials
import GRDB

/// Documents on disk by the beginning of their key.
extension Index {
    /// Returns the documents on disk whose keys begin with `prefix`, the oldest first.
    ///
    /// - Parameter prefix: ends with a colon.
    package func documents(
        prefix: String, limit: Int
    ) async throws(StoreError) -> [DocumentRecord] {
        let range = Self.keys(prefix)
        return try await read { database in
            try IndexRows.documents(database, from: range.first, to: range.end, limit)
        }
    }

    /// Returns the number of the documents on disk whose keys begin with `prefix`, and the date of
    /// the oldest.
    package func documentCount(
        prefix: String
    ) async throws(StoreError) -> (count: Int, oldest: Date?) {
        let range = Self.keys(prefix)
        return try await read { database in
            try IndexRows.documentCount(database, from: range.first, to: range.end)
        }
    }

    /// Removes a document unless another was recorded under its key since it was read.
    package func remove(_ document: DocumentRecord) async throws(StoreError) {
        try await write { database in
            try IndexRows.execute(
                database, "DELETE FROM documents WHERE key = ? AND body = ?",
                [document.key, Data(document.body)])
        }
    }

    /// Returns the first key that begins with the prefix, and the first after all of them.
    private static func keys(_ prefix: String) -> (first: String, end: String) {
        (prefix, "\(prefix.dropLast());")
    }
}
