import FoundationEssentials
import GRDB
package import Hashing

/// What a grid shows before the picture is loaded.
package struct SummaryRecord: Sendable, Equatable {
    package var original: Digest
    package var thumbHash: [UInt8]
    /// `#rrggbb`.
    package var color: String
    /// Size of the original in upright pixels.
    package var width: Int
    package var height: Int

    package init(
        original: Digest, thumbHash: [UInt8], color: String, width: Int, height: Int
    ) {
        self.original = original
        self.thumbHash = thumbHash
        self.color = color
        self.width = width
        self.height = height
    }
}

extension IndexRows {
    /// The columns of a summary in ``IndexSchema``: all of them, or none.
    static let summaryColumns = """
        thumbHash BLOB,
            color TEXT,
            width INTEGER,
            height INTEGER
        """

    static let summaryRows = """
        SELECT digest, thumbHash, color, width, height FROM pictures
        WHERE thumbHash IS NOT NULL
        """

    static func summary(_ database: Database, of original: Digest) throws -> SummaryRecord? {
        let sql = "\(summaryRows) AND \(digestMatches("pictures", "?1"))"
        return try select(database, sql, [original.data], summary).first
    }

    /// The first summary of an original stays, so that it does not depend on later requests. One with an
    /// impossible size is replaced.
    static func insert(_ database: Database, _ record: SummaryRecord) throws {
        try execute(
            database,
            """
            UPDATE pictures SET thumbHash = ?, color = ?, width = ?, height = ?
            WHERE id = ? AND (thumbHash IS NULL OR min(width, height) < \(StoredBounds.sides.lowerBound)
                OR max(width, height) > \(StoredBounds.sides.upperBound))
            """,
            [
                Data(record.thumbHash), record.color, record.width, record.height,
                try picture(database, record.original),
            ])
    }

    static func summary(_ columns: inout RowColumns) throws -> SummaryRecord {
        let original = try columns.nextDigest()
        let (thumbHash, color): ([UInt8], String) = (try columns.nextBytes(), try columns.next())
        let (width, height) = try columns.nextSize()
        return SummaryRecord(
            original: original, thumbHash: thumbHash, color: color, width: width, height: height)
    }
}
