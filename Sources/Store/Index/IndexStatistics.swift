import GRDB

/// Counts of rows in the index.
package struct IndexStatistics: Sendable, Equatable {
    package var originals = 0
    package var failures = 0
    package var thumbnails = 0
    package var items = 0
    package var documents = 0
    /// Originals that are not rendered again; see ``QuarantineRecord``.
    package var quarantined = 0
    /// Sum of the bytes of all originals, counted once per URL.
    package var originalBytes = 0
    /// Sum of the bytes of all thumbnails, counted once per original.
    package var thumbnailBytes = 0

    package init() {}
}

extension Index {
    package func statistics() async throws(StoreError) -> IndexStatistics {
        try await threads.run { [self] () throws(StoreError) in
            try stored(or: IndexStatistics()) { try IndexRows.statistics($0) }
        }
    }
}

extension IndexRows {
    fileprivate static func statistics(_ database: Database) throws -> IndexStatistics {
        let sql = """
            SELECT (SELECT count(*) FROM originals WHERE digest IS NOT NULL),
                (SELECT count(*) FROM originals WHERE failureKind IS NOT NULL),
                (SELECT count(*) FROM thumbnails),
                (SELECT count(DISTINCT item) FROM bindings),
                (SELECT count(*) FROM documents),
                (SELECT count(*) FROM quarantine),
                (SELECT coalesce(sum(byteCount), 0) FROM originals WHERE digest IS NOT NULL),
                (SELECT coalesce(sum(byteCount), 0) FROM thumbnails)
            """
        let found = try select(database, sql, []) { columns in
            var statistics = IndexStatistics()
            statistics.originals = try columns.next()
            statistics.failures = try columns.next()
            statistics.thumbnails = try columns.next()
            statistics.items = try columns.next()
            statistics.documents = try columns.next()
            statistics.quarantined = try columns.next()
            statistics.originalBytes = try columns.next()
            statistics.thumbnailBytes = try columns.next()
            return statistics
        }
        return found.first ?? IndexStatistics()
    }
}
