import GRDB

/// The result of a step of sweeping.
package struct IndexSweep: Sendable, Equatable {
    /// Pictures and renditions that were removed because no row refers to them.
    package var removed = 0
    /// Pages that were given back to the file system.
    package var pages = 0
    /// Where the next step begins; nil after the last picture.
    package var place: Int64?
}

extension Index {
    /// Looks through the next `limit` pictures and removes those that no row refers to, with
    /// renditions that have no thumbnail. Then it gives free pages at the file's end back, as many
    /// as `limit` at most. (Items are removed with their last resolution.)
    ///
    /// - Parameter place: nil begins with the first picture; else what the last step returned.
    package func sweep(
        after place: Int64? = nil, limit: Int = 1_000
    ) async throws(StoreError) -> IndexSweep {
        var sweep = try await freeing { try IndexRows.sweep($0, after: place ?? 0, limit: limit) }
        let pages = try await freeing { try IndexRows.giveBackPages($0, limit: limit) }
        sweep.pages = pages
        return sweep
    }
}

extension IndexRows {
    fileprivate static func sweep(
        _ database: Database, after place: Int64, limit: Int
    ) throws -> IndexSweep {
        var sweep = IndexSweep()
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
            sweep.removed += 1
        }
        if visited.count == limit { sweep.place = visited.last?.id }
        try execute(database, "DELETE FROM tallies WHERE thumbnails = 0 AND bytes = 0", [])
        try removeUnusedRenditions(database)
        sweep.removed += database.changesCount
        return sweep
    }

    /// Returns how many free pages were removed from the file's end.
    fileprivate static func giveBackPages(_ database: Database, limit: Int) throws -> Int {
        let before = try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0
        guard before > 0 else { return 0 }
        // A cursor, because each row is one page.
        let rows = try Row.fetchCursor(database, sql: "PRAGMA incremental_vacuum(\(limit))")
        while try rows.next() != nil {}
        return before - (try Int.fetchOne(database, sql: "PRAGMA freelist_count") ?? 0)
    }
}
