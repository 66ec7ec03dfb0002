import FoundationEssentials
import GRDB

/// The result of checking the index.
package struct IndexVerification: Sendable, Equatable {
    /// Errors that SQLite reports; empty if there are none.
    package var complaints: [String] = []
    /// Missing blobs that rows refer to, in order.
    package var missing: [Digest] = []
    /// Whether the index was emptied because of its complaints.
    package var wasErased = false
    /// Counters that differed from a count of all rows.
    package var miscounted: [String] = []

    package init() {}
}

extension Index {
    /// Digests that are checked or repaired at a time, so that other work gets its turn.
    private static let batch = 512

    /// Checks the database's integrity, its counters, and that every blob it refers to exists.
    /// (Verify the blobs themselves first with ``BlobStore/verify(repair:progress:)``.) Rows of an
    /// earlier index are imported first.
    ///
    /// With `repair`, rows whose blob is missing are deleted, so that the next request makes them
    /// again; remembered failures stay. An index that SQLite complains about is emptied. Counters
    /// are counted anew. Works on a full disk, too.
    package func verify(
        against blobs: BlobStore, repair: Bool
    ) async throws(StoreError) -> IndexVerification {
        var report = IndexVerification()
        report.complaints = try await complaints()
        if !report.complaints.isEmpty {
            if repair {
                try await erase()
                report.wasErased = true
            }
            // A damaged index can't be trusted about blobs.
            return report
        }
        try await finishImport()
        for table in [Named.thumbnails, .pictures] {
            var place: Int64 = -1
            while true {
                let rows = try await named(table, after: place)
                guard let last = rows.last else { break }
                let missing = try await blobs.missing(among: Set(rows.map(\.digest)).sorted())
                if repair, !missing.isEmpty { try await forget(missing) }
                report.missing += missing
                place = last.id
            }
        }
        report.missing = Set(report.missing).sorted()
        report.miscounted = try await read { database in
            var wrong: [String] = []
            try database.inTransaction(.deferred) {
                wrong = try IndexCounters.wrong(database)
                return .commit
            }
            return wrong
        }
        if repair {
            if !report.miscounted.isEmpty { try await freeing { try IndexCounters.recount($0) } }
            try await freeing { try IndexRows.sweepWords($0) }
            await takeReserve()
        }
        return report
    }

    /// Where digests of blobs are.
    private enum Named {
        case thumbnails, pictures

        var sql: String {
            switch self {
            case .thumbnails: "SELECT id, digest FROM thumbnails WHERE id > ? ORDER BY id LIMIT ?"
            // Contact sheets have no original.
            case .pictures:
                """
                SELECT id, digest FROM pictures WHERE id > ? AND (
                    EXISTS (SELECT 1 FROM originals WHERE picture = pictures.id)
                    OR EXISTS (SELECT 1 FROM resolutions WHERE picture = pictures.id))
                ORDER BY id LIMIT ?
                """
            }
        }
    }

    private func named(
        _ table: Named, after place: Int64
    ) async throws(StoreError) -> [(id: Int64, digest: Digest)] {
        try await read { database in
            try IndexRows.select(database, table.sql, [place, Self.batch]) {
                (id: try $0.next() as Int64, digest: try $0.nextDigest())
            }
        }
    }

    private func complaints() async throws(StoreError) -> [String] {
        try await read { database in
            do {
                let lines = try String.fetchAll(database, sql: "PRAGMA integrity_check(100)")
                return lines == ["ok"] ? [] : lines
            } catch let error as DatabaseError where error.isDamage {
                return [error.message ?? "\(error.resultCode)"]
            }
        }
    }

    private func forget(_ digests: [Digest]) async throws(StoreError) {
        _ = try await freeing(digests) { database, digests in
            for digest in digests { try IndexRows.forget(database, digest) }
        }
    }
}

extension IndexRows {
    /// Removes rows that refer to a missing blob.
    static func forget(_ database: Database, _ digest: Digest) throws {
        try execute(
            database, "DELETE FROM thumbnails WHERE \(IndexKeys.digest("thumbnails", is: "?1"))",
            [digest.data])
        guard let picture = try knownPicture(database, digest) else { return }
        try removeBindings(database, to: picture)
        try execute(database, "DELETE FROM summaries WHERE picture = ?", [picture])
        try execute(
            database, "DELETE FROM originals WHERE picture = ? AND failureKind IS NULL",
            [picture])
        // Removes the validators too, because a 304 without the stored bytes is useless.
        try execute(
            database,
            """
            UPDATE originals SET picture = NULL, byteCount = 0, width = 0, height = 0, format = ?,
                entityTag = NULL, lastModified = NULL, freshUntil = fetchedAt
            WHERE picture = ?
            """,
            [try word(database, ""), picture])
    }

    /// Removes the bindings that show a picture.
    static func removeBindings(_ database: Database, to picture: Int64) throws {
        try execute(
            database,
            """
            DELETE FROM bindings WHERE id IN (
                SELECT bindings.id FROM resolutions
                CROSS JOIN bindings
                    ON bindings.id \(IndexKeys.range(of: "(resolutions.id >> 12)"))
                    AND bindings.resolution = resolutions.id & 4095
                WHERE resolutions.picture = ?)
            """, [picture])
    }
}
