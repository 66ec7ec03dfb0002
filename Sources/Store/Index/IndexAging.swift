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
            let cutoff = try IndexRows.milliseconds(cutoff)
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

extension Index {
    /// Looks through the next `limit` pictures and removes those that no row refers to, with
    /// renditions that have no thumbnail. Then it gives free pages at the file's end back, as many
    /// as `limit` at most. (Items are removed with their last resolution.)
    ///
    /// Returns where the next step begins; nil after the last picture.
    ///
    /// - Parameter place: nil begins with the first picture; else what the last step returned.
    func sweep(
        after place: Int64? = nil, limit: Int = 1_000
    ) async throws(StoreError) -> Int64? {
        let next = try await freeing { try IndexRows.sweep($0, after: place ?? 0, limit: limit) }
        try await freeing { try IndexRows.giveBackPages($0, limit: limit) }
        return next
    }
}

extension IndexRows {
    fileprivate static func sweep(
        _ database: Database, after place: Int64, limit: Int
    ) throws -> Int64? {
        let visited = try select(
            database,
            """
            SELECT id, EXISTS (SELECT 1 FROM thumbnails WHERE picture = pictures.id)
                OR EXISTS (SELECT 1 FROM originals WHERE picture = pictures.id)
                OR EXISTS (SELECT 1 FROM resolutions WHERE picture = pictures.id)
            FROM pictures WHERE id > ? ORDER BY id LIMIT ?
            """, [place, limit]
        ) { (id: try $0.next() as Int64, isUsed: try $0.next() as Bool) }
        for picture in visited where !picture.isUsed {
            try execute(database, "DELETE FROM pictures WHERE id = ?", [picture.id])
        }
        try execute(database, "DELETE FROM tallies WHERE thumbnails = 0 AND bytes = 0", [])
        try removeUnusedRenditions(database)
        return visited.count == limit ? visited.last?.id : nil
    }

    /// Removes free pages from the file's end.
    fileprivate static func giveBackPages(_ database: Database, limit: Int) throws {
        // A cursor, because each row is one page.
        let rows = try Row.fetchCursor(database, sql: "PRAGMA incremental_vacuum(\(limit))")
        while try rows.next() != nil {}
    }
}
