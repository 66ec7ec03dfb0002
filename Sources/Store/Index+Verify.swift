import FoundationEssentials
import GRDB

extension Index {
    /// How many digests are looked up, or repaired, at a time, so that other work gets its turn.
    private static let batch = 512

    /// Checks SQLite's own integrity and that every blob it names is there. (Whether those are whole
    /// is ``BlobStore/verify(repair:progress:)``'s question, to be asked first.)
    ///
    /// With `repair`, rows whose blob is gone are deleted, so that the next request makes them anew
    /// (of an original's row a remembered failure stays); and an index that SQLite complains about is
    /// made empty.
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
            // What a damaged index says of blobs is worth nothing.
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

    /// The next of all digests that rows name, in order.
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
    /// Removes what rows say of a blob that is gone.
    fileprivate static func forget(_ database: Database, _ digest: Digest) throws {
        try execute(database, "DELETE FROM thumbnails WHERE digest = ?", [digest.data])
        try execute(database, "DELETE FROM bindings WHERE original = ?", [digest.data])
        try execute(database, "DELETE FROM summaries WHERE original = ?", [digest.data])
        try execute(
            database, "DELETE FROM originals WHERE digest = ? AND failureKind IS NULL",
            [digest.data])
        // Without the validators: an origin's 304 would be of no use.
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
