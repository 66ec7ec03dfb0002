import GRDB

extension Index {
    /// Returns items by their numbers in the index, the next after a number first. Items that are
    /// not on disk yet are missing.
    package func items(
        after number: Int64, limit: Int
    ) async throws(StoreError) -> [(number: Int64, name: String)] {
        try await read { database in
            try IndexRows.select(
                database,
                """
                SELECT items.id, \(IndexKeys.itemName) FROM items
                WHERE items.id > ? ORDER BY items.id LIMIT ?
                """, [number, limit]
            ) { (number: try $0.next() as Int64, name: try $0.next() as String) }
        }
    }
}
