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

extension SummaryRecord {
    /// The SQL that creates the table.
    static let table = """
        CREATE TABLE summaries (
            picture INTEGER PRIMARY KEY,
            thumbHash BLOB NOT NULL,
            colour TEXT NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL
        ) STRICT;
        """
}

extension IndexRows {
    private static let summaryRows = """
        SELECT pictures.digest, thumbHash, colour, width, height
        FROM summaries JOIN pictures ON pictures.id = summaries.picture
        """

    static func summary(_ database: Database, of original: Digest) throws -> SummaryRecord? {
        let sql = "\(summaryRows) WHERE \(IndexKeys.digest("pictures", is: "?1"))"
        return try select(database, sql, [original.data], summary).first
    }

    static func summaries(_ database: Database) throws -> [SummaryRecord] {
        try select(database, summaryRows, [], summary)
    }

    /// Calls `body` for each row until one can't be read.
    static func eachSummary(
        _ database: Database, _ order: RowOrder, _ body: (SummaryRecord) throws -> Void
    ) throws {
        try each(database, "\(summaryRows) ORDER BY picture \(order.rawValue)", summary, body)
    }

    /// The first summary of an original stays, so that it does not depend on later requests.
    static func insert(_ database: Database, _ record: SummaryRecord) throws {
        try execute(
            database,
            """
            INSERT OR IGNORE INTO summaries (picture, thumbHash, colour, width, height)
            VALUES (?, ?, ?, ?, ?)
            """,
            [
                try picture(database, record.original), Data(record.thumbHash), record.color,
                record.width, record.height,
            ])
    }

    private static func summary(_ columns: inout RowColumns) throws -> SummaryRecord {
        SummaryRecord(
            original: try columns.nextDigest(), thumbHash: try columns.nextBytes(),
            color: try columns.next(), width: try columns.next(), height: try columns.next())
    }
}
