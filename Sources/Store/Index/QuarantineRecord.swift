package import FoundationEssentials
import GRDB
package import Hashing

/// Why an original is not rendered: it crashed a renderer or exceeded its time, or it does no harm and is too
/// much for what is made of it.
package struct QuarantineRecord: Sendable, Equatable {
    /// How the recipes of originals that do no harm begin.
    package static let harmless = "harmless "

    package var original: Digest
    /// What decides it besides the bytes. The original is tried again with another recipe.
    package var recipe: String
    /// A sentence for people.
    package var reason: String
    package var at: Date

    package init(original: Digest, recipe: String, reason: String, at: Date) {
        self.original = original
        self.recipe = recipe
        self.reason = reason
        self.at = at
    }

    /// Limit of records of originals that do harm, and of the others. The oldest are removed, because an
    /// attacker can make any number.
    static let capacity = 10_000

    fileprivate var isHarmless: Bool { recipe.hasPrefix(Self.harmless) }
    /// Says of a row whether its original does no harm.
    fileprivate static let rowIsHarmless = "recipe GLOB '\(harmless)*'"

    /// The SQL that creates the table.
    static let table = """
        CREATE TABLE quarantine (
            original BLOB NOT NULL PRIMARY KEY CHECK (length(original) = 32),
            recipe TEXT NOT NULL,
            reason TEXT NOT NULL,
            at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX quarantineByAge ON quarantine (at);
        """
}

extension IndexRows {
    static func quarantined(
        _ database: Database, _ original: Digest
    ) throws -> QuarantineRecord? {
        try select(
            database, "\(quarantineRows) WHERE original = ?", [original.data], quarantineRecord
        ).first
    }

    static let quarantineRows = "SELECT original, recipe, reason, at FROM quarantine"

    static func quarantineRecord(_ columns: inout RowColumns) throws -> QuarantineRecord {
        QuarantineRecord(
            original: try columns.nextDigest(), recipe: try columns.next(),
            reason: try columns.next(), at: try columns.nextMilliseconds())
    }

    static func upsert(_ database: Database, _ record: QuarantineRecord) throws {
        try execute(
            database,
            """
            INSERT INTO quarantine (original, recipe, reason, at) VALUES (?, ?, ?, ?)
            ON CONFLICT (original) DO UPDATE SET recipe = excluded.recipe,
                reason = excluded.reason, at = excluded.at
            """,
            [
                record.original.data, record.recipe, record.reason,
                try milliseconds(record.at),
            ])
        try execute(
            database,
            """
            DELETE FROM quarantine WHERE original IN (
                SELECT original FROM quarantine WHERE (\(QuarantineRecord.rowIsHarmless)) = ?
                ORDER BY at DESC LIMIT -1 OFFSET ?)
            """, [record.isHarmless, QuarantineRecord.capacity])
    }

    /// The SQL of the number of originals that do harm. Counts the rows of the others, which are few.
    static let harmfulCount = """
        quarantined - (SELECT count(*) FROM quarantine WHERE \(QuarantineRecord.rowIsHarmless))
        """
}
