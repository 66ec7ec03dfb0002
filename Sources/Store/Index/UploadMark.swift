package import FoundationEssentials
import GRDB

/// An item that waits to be put into the shared store.
package struct UploadMark: Sendable, Equatable {
    package let item: String
    /// Since when it waits. A later mark of the item has another date.
    package let since: Date
}

extension Index {
    /// Returns the mark of an item on disk; nil if it doesn't wait.
    package func uploadMark(of item: String) async throws(StoreError) -> UploadMark? {
        try await read { database in
            try IndexRows.select(
                database,
                "SELECT name, uploadSince FROM items WHERE name = ? AND uploadSince IS NOT NULL",
                [item], IndexRows.uploadMark
            ).first
        }
    }

    /// Returns the items on disk that have waited longest, the oldest first.
    package func uploadMarks(limit: Int) async throws(StoreError) -> [UploadMark] {
        try await read { database in
            try IndexRows.select(
                database, "\(IndexRows.oldestUploads) LIMIT ?", [limit], IndexRows.uploadMark)
        }
    }

    /// Returns how many items on disk wait, and since when the oldest does.
    package func uploadCount() async throws(StoreError) -> (count: Int, oldest: Date?) {
        try await read { database in
            try IndexRows.select(database, IndexRows.uploadCount, []) {
                (count: try $0.next() as Int, oldest: try $0.nextMillisecondsIfAny())
            }
            .first ?? (0, nil)
        }
    }

    /// Removes a mark, unless the item was marked again since the mark was read.
    package func remove(_ mark: UploadMark) async throws(StoreError) {
        try await write { database in
            try IndexRows.execute(
                database, "UPDATE items SET uploadSince = NULL WHERE name = ? AND uploadSince = ?",
                [mark.item, try IndexRows.milliseconds(mark.since)])
        }
    }
}

extension IndexRows {
    static let oldestUploads = """
        SELECT name, uploadSince FROM items WHERE uploadSince IS NOT NULL ORDER BY uploadSince
        """
    static let uploadCount = """
        SELECT count(*), min(uploadSince) FROM items WHERE uploadSince IS NOT NULL
        """

    fileprivate static func uploadMark(_ columns: inout RowColumns) throws -> UploadMark {
        UploadMark(item: try columns.next(), since: try columns.nextMilliseconds())
    }
}
