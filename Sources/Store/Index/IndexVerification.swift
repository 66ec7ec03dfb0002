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

    package init() {}
}

extension Index {
    /// Digests that are checked or repaired at a time, so that other work gets its turn.
    private static let batch = 512

    /// Checks the database's integrity and that every blob it refers to exists. (Verify the blobs
    /// themselves first with ``BlobStore/verify(repair:progress:)``.)
    ///
    /// With `repair`, rows whose blob is missing are deleted, so that the next request makes them
    /// again; remembered failures stay. An index that SQLite complains about is emptied.
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
        var after: Digest?
        while true {
            let digests = try await self.digests(after: after)
            guard let last = digests.last else { break }
            let missing = try await blobs.missing(among: digests)
            if repair, !missing.isEmpty { try await forget(missing) }
            report.missing += missing
            after = last
        }
        return report
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

    /// Returns the next digests that rows refer to, in order.
    private func digests(after: Digest?) async throws(StoreError) -> [Digest] {
        try await read { database in
            let start = after?.data ?? Data()
            let sql = """
                SELECT digest FROM originals WHERE digest IS NOT NULL AND digest > :start
                UNION SELECT digest FROM thumbnails WHERE digest > :start
                UNION SELECT original FROM bindings WHERE original IS NOT NULL AND original > :start
                ORDER BY 1 LIMIT :limit
                """
            let rows = try Row.fetchCursor(
                database, sql: sql, arguments: ["start": start, "limit": Self.batch])
            var digests: [Digest] = []
            while let row = try rows.next() {
                var columns = RowColumns(row)
                digests.append(try columns.nextDigest())
            }
            return digests
        }
    }

    private func forget(_ digests: [Digest]) async throws(StoreError) {
        try await write { database in
            for digest in digests { try IndexRows.forget(database, digest) }
        }
    }
}

extension IndexRows {
    /// Removes rows that refer to a missing blob.
    fileprivate static func forget(_ database: Database, _ digest: Digest) throws {
        try execute(database, "DELETE FROM thumbnails WHERE digest = ?", [digest.data])
        try execute(database, "DELETE FROM bindings WHERE original = ?", [digest.data])
        try execute(database, "DELETE FROM summaries WHERE original = ?", [digest.data])
        try execute(
            database, "DELETE FROM originals WHERE digest = ? AND failureKind IS NULL",
            [digest.data])
        // Removes the validators too, because a 304 without the stored bytes is useless.
        try execute(
            database,
            """
            UPDATE originals SET digest = NULL, byteCount = 0, width = 0, height = 0, format = '',
                entityTag = NULL, lastModified = NULL, freshUntil = fetchedAt
            WHERE digest = ?
            """,
            [digest.data])
    }
}
