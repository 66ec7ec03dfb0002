import FoundationEssentials
import GRDB
package import Hashing

/// The result of checking the index.
package struct IndexVerification: Sendable, Equatable {
    /// Errors that SQLite reports.
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
    /// Checks the database's integrity, its counters, and that the blob of every thumbnail exists, and
    /// that of every original without thumbnails. Another original may have been evicted: it is fetched
    /// again when it is needed. (Verify the blobs themselves first with ``BlobStore/verify(repair:progress:)``.)
    ///
    /// With `repair`, rows whose blob is missing are deleted, so that the next request makes them
    /// again; remembered failures stay. An index that SQLite complains about is emptied. Counters
    /// are counted again. Works on a full disk, too.
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
        var missing: Set<Digest> = []
        try await lookForMissing(blobs, forgetting: repair) { missing.formUnion($0) }
        report.missing = missing.sorted()
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
            await takeReserve()
        }
        return report
    }
}
