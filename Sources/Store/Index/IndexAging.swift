import FoundationEssentials
import GRDB

/// Removes rows that expired long ago and that no request has renewed, a bounded part of each table
/// at a time.
///
/// - documents
/// - bindings without a picture, and bindings whose picture has no thumbnail any more
/// - URLs that failed, and URLs whose picture no item shows and that has no thumbnail
struct IndexAging: Sendable, Equatable {
    /// Rows that were removed.
    var removed = 0
    /// Where the next step begins in each table; all 0 after the last row.
    fileprivate var documents: Int64 = 0
    fileprivate var resolutions: Int64 = 0
    fileprivate var originals: Int64 = 0

    /// Whether all tables were looked through.
    var isDone: Bool { documents == 0 && resolutions == 0 && originals == 0 }
}

extension Index {
    /// Looks through the next `limit` rows of each table that is not done. `after` is what the last
    /// step returned, or a new value to begin again.
    func age(
        before cutoff: Date, after earlier: IndexAging = IndexAging(), limit: Int = 1_000
    ) async throws(StoreError) -> IndexAging {
        try await freeing { database in
            let cutoff = try IndexDate.milliseconds(cutoff)
            var aging = IndexAging()
            let begins = earlier.isDone
            if begins || earlier.documents > 0 {
                aging.documents = try IndexRows.step(
                    database, "documents", "rowid", after: earlier.documents, limit
                ) { first, last in
                    try IndexRows.execute(
                        database,
                        "DELETE FROM documents WHERE rowid BETWEEN ? AND ? AND expiresAt < ?",
                        [first, last, cutoff])
                    aging.removed += database.changesCount
                }
            }
            if begins || earlier.resolutions > 0 {
                aging.resolutions = try IndexRows.step(
                    database, "resolutions", "id", after: earlier.resolutions, limit
                ) { first, last in
                    try IndexRows.execute(
                        database,
                        """
                        WITH old AS (
                            SELECT item, id FROM resolutions
                            WHERE id BETWEEN ? AND ? AND max(freshUntil, resolvedAt) < ?
                                AND coalesce(failureUntil, 0) < ?
                                AND NOT EXISTS (SELECT 1 FROM thumbnails
                                    WHERE thumbnails.picture = resolutions.picture))
                        DELETE FROM bindings WHERE item IN (SELECT item FROM old)
                            AND resolution IN (SELECT id FROM old)
                        """, [first, last, cutoff, cutoff])
                    aging.removed += database.changesCount
                }
            }
            if begins || earlier.originals > 0 {
                aging.originals = try IndexRows.step(
                    database, "originals", "id", after: earlier.originals, limit
                ) { first, last in
                    try IndexRows.execute(
                        database,
                        """
                        DELETE FROM originals WHERE id BETWEEN ? AND ? AND max(freshUntil, fetchedAt) < ?
                            AND coalesce(failureUntil, 0) < ? AND NOT EXISTS (
                                SELECT 1 FROM resolutions WHERE picture = originals.picture)
                            AND NOT EXISTS (SELECT 1 FROM thumbnails
                                WHERE thumbnails.picture = originals.picture)
                        """, [first, last, cutoff, cutoff])
                    aging.removed += database.changesCount
                }
            }
            return aging
        }
    }
}

extension IndexRows {
    /// Calls `body` with the first and last key of the next `limit` rows. Returns the last, or 0 if
    /// no rows are left.
    fileprivate static func step(
        _ database: Database, _ table: String, _ key: String, after place: Int64, _ limit: Int,
        _ body: (_ first: Int64, _ last: Int64) throws -> Void
    ) throws -> Int64 {
        let keys = try select(
            database, "SELECT \(key) FROM \(table) WHERE \(key) > ? ORDER BY \(key) LIMIT ?",
            [place, limit]
        ) { try $0.next() as Int64 }
        guard let first = keys.first, let last = keys.last else { return 0 }
        try body(first, last)
        return keys.count < limit ? 0 : last
    }
}
