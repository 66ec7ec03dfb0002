package import FoundationEssentials
import GRDB
package import Hashing

/// An original that crashed a renderer or exceeded its time.
package struct QuarantineRecord: Sendable, Equatable {
    package var original: Digest
    /// The recipe of that renderer. The original is tried again with another recipe.
    package var recipe: String
    /// One sentence.
    package var reason: String
    package var at: Date

    package init(original: Digest, recipe: String, reason: String, at: Date) {
        self.original = original
        self.recipe = recipe
        self.reason = reason
        self.at = at
    }
}

extension QuarantineRecord {
    /// Limit of records. The oldest are removed, because an attacker can make any number.
    static let capacity = 10_000

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
                try IndexDate.milliseconds(record.at),
            ])
        try execute(
            database,
            """
            DELETE FROM quarantine WHERE original IN (
                SELECT original FROM quarantine ORDER BY at DESC LIMIT -1 OFFSET ?)
            """, [QuarantineRecord.capacity])
    }
}
