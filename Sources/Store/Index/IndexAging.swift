import FoundationEssentials
import GRDB

/// Removes rows that expired long ago and that no request has renewed, a bounded part of each table
/// at a time.
///
/// - documents
/// - resolutions without a picture, and resolutions whose picture has no thumbnail any more
/// - URLs that failed, and URLs whose picture no item shows and that has no thumbnail
struct IndexAging: Sendable, Equatable {
    /// Rows that were removed.
    var removed = 0
    /// Where the next step begins in each table; all 0 after the last row.
    fileprivate var places = [Int64](repeating: 0, count: tables.count)

    /// Whether all tables were looked through.
    var isDone: Bool { places.allSatisfy { $0 == 0 } }

    /// The tables, their keys, and what removes old rows of a range of keys.
    fileprivate static let tables = [
        (
            "documents", "rowid",
            "DELETE FROM documents WHERE rowid BETWEEN ?1 AND ?2 AND expiresAt < ?3"
        ),
        (
            "resolutions", "id",
            """
            DELETE FROM resolutions WHERE id BETWEEN ?1 AND ?2
                AND max(freshUntil, resolvedAt) < ?3 AND coalesce(failureUntil, 0) < ?3
                AND NOT EXISTS (SELECT 1 FROM thumbnails
                    WHERE thumbnails.picture = resolutions.picture)
            """
        ),
        (
            "originals", "id",
            """
            DELETE FROM originals WHERE id BETWEEN ?1 AND ?2 AND max(freshUntil, fetchedAt) < ?3
                AND coalesce(failureUntil, 0) < ?3 AND NOT EXISTS (
                    SELECT 1 FROM resolutions WHERE picture = originals.picture)
                AND NOT EXISTS (SELECT 1 FROM thumbnails
                    WHERE thumbnails.picture = originals.picture)
            """
        ),
    ]
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
            for (number, (table, key, removal)) in IndexAging.tables.enumerated()
            where earlier.isDone || earlier.places[number] > 0 {
                aging.places[number] = try IndexRows.step(
                    database, table, key, after: earlier.places[number], limit
                ) { first, last in
                    try IndexRows.execute(database, removal, [first, last, cutoff])
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
