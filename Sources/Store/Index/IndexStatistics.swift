package import FoundationEssentials
import GRDB
import Threads

/// Counters of the index.
package struct IndexStatistics: Sendable, Equatable {
    package var originals = 0
    package var failures = 0
    package var thumbnails = 0
    package var items = 0
    package var documents = 0
    /// Originals that crashed a renderer or exceeded its time; see ``QuarantineRecord``.
    package var dangerous = 0
    /// Sum of the bytes of all originals, counted once per URL.
    package var originalBytes = 0
    /// Sum of the bytes of all thumbnails, counted once per original.
    package var thumbnailBytes = 0
    /// Sum of the bytes of all documents.
    package var documentBytes = 0
    /// Bytes that equal originals, and equal thumbnails, don't take because they are stored once.
    package var savedBytes = 0
    /// When the oldest thumbnail was rendered, among those of the pictures that are known longest.
    package var oldest: Date?
    /// Thumbnails by source, level and format, in this order.
    package var tallies: [Tally] = []

    /// Its JSON has these names.
    package struct Tally: Sendable, Equatable, Encodable {
        /// The source of the first item that showed the original, `sheet` for contact sheets, and
        /// empty if no item showed it.
        package var source: String
        /// Level key as in ``ThumbnailKey/level``.
        package var level: String
        package var format: String
        package var thumbnails: Int
        package var bytes: Int

        package init(source: String, level: String, format: String, thumbnails: Int, bytes: Int) {
            self.source = source
            self.level = level
            self.format = format
            self.thumbnails = thumbnails
            self.bytes = bytes
        }
    }

    package init() {}
}

extension Index {
    /// Returns the number of thumbnails of a format on disk. Counts no rows.
    package func thumbnailCount(format: String) async throws(StoreError) -> Int {
        try await read { database in
            try IndexRows.select(
                database,
                """
                SELECT coalesce(sum(thumbnails), 0) FROM tallies
                WHERE rendition IN (SELECT id FROM renditions WHERE format = ?)
                """, [format]
            ) { try $0.next() as Int }.first ?? 0
        }
    }

    /// Returns the counters of the index on disk. Counts only rows of the quarantine.
    package func statistics() async throws(StoreError) -> IndexStatistics {
        try await threads.run { [self] () throws(StoreError) in
            try stored(or: IndexStatistics()) { try IndexRows.statistics($0) }
        }
    }
}

extension IndexRows {
    /// Rows that are compared. A picture's number says when it was first stored, and its thumbnails
    /// may have been rendered again since.
    private static let oldestRows = 1_000

    fileprivate static func statistics(_ database: Database) throws -> IndexStatistics {
        // One statement, so that all counters are of the same moment.
        let sql = """
            SELECT originals, failures, items, documents, \(harmfulCount), originalBytes,
                documentBytes, savedBytes,
                (SELECT min(renderedAt) FROM (
                    SELECT renderedAt FROM thumbnails ORDER BY picture, rendition
                    LIMIT \(oldestRows))),
                coalesce(tallies.source, ''), renditions.level,
                renditions.format, tallies.thumbnails, tallies.bytes
            FROM totals LEFT JOIN (tallies JOIN renditions ON renditions.id = tallies.rendition)
                ON tallies.thumbnails <> 0
            ORDER BY 10, 11, 12
            """
        var statistics = IndexStatistics()
        var tallies: [IndexStatistics.Tally] = []
        _ = try select(database, sql, []) { columns in
            statistics.originals = try columns.next()
            statistics.failures = try columns.next()
            statistics.items = try columns.next()
            statistics.documents = try columns.next()
            statistics.dangerous = try columns.next()
            statistics.originalBytes = try columns.next()
            statistics.documentBytes = try columns.next()
            statistics.savedBytes = try columns.next()
            let oldest: Int64? = try columns.nextIfAny()
            statistics.oldest = try oldest.map { try columns.date(Double($0)) }
            let source: String = try columns.next()
            guard let level: String = try columns.nextIfAny() else { return }
            let tally = IndexStatistics.Tally(
                source: source, level: level, format: try columns.next(),
                thumbnails: try columns.next(), bytes: try columns.next())
            statistics.thumbnails += tally.thumbnails
            statistics.thumbnailBytes += tally.bytes
            // Recipes are summed up.
            if let last = tallies.last,
                [last.source, last.level, last.format] == [source, level, tally.format]
            {
                tallies[tallies.count - 1].thumbnails += tally.thumbnails
                tallies[tallies.count - 1].bytes += tally.bytes
            } else {
                tallies.append(tally)
            }
        }
        statistics.tallies = tallies
        return statistics
    }
}
