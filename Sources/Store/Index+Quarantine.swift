package import FoundationEssentials
import GRDB

/// An original that brought a renderer down, or held it too long.
package struct QuarantineRecord: Sendable, Equatable {
    package var original: Digest
    /// Of the renderer that it happened to; with another one it is tried again.
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

extension Index {
    /// Records beyond so many are forgotten, the oldest first: an attacker can make any number.
    static let quarantineCapacity = 10_000

    /// The record of that original, of whatever recipe.
    package func quarantined(
        _ original: Digest
    ) async throws(StoreError) -> QuarantineRecord? {
        try await first { try IndexRows.quarantined($0, original) }
    }

    /// Replaces the record of its original.
    package func record(_ quarantined: QuarantineRecord) async throws(StoreError) {
        try await keep(IndexChange(quarantined: [quarantined]))
    }
}

extension IndexRows {
    fileprivate static func quarantined(
        _ database: Database, _ original: Digest
    ) throws -> QuarantineRecord? {
        let sql = "SELECT \(quarantineColumns) FROM quarantine WHERE original = ?"
        return try select(database, sql, [original.data], quarantineRecord).first
    }

    static func quarantined(_ database: Database) throws -> [QuarantineRecord] {
        try select(
            database, "SELECT \(quarantineColumns) FROM quarantine", [], quarantineRecord)
    }

    private static let quarantineColumns = "original, recipe, reason, at"

    private static func quarantineRecord(_ columns: inout RowColumns) throws -> QuarantineRecord {
        QuarantineRecord(
            original: try columns.nextDigest(), recipe: try columns.next(),
            reason: try columns.next(), at: try columns.nextDate())
    }

    static func upsert(_ database: Database, _ record: QuarantineRecord) throws {
        try execute(
            database,
            "INSERT OR REPLACE INTO quarantine (original, recipe, reason, at) VALUES (?, ?, ?, ?)",
            [
                record.original.data, record.recipe, record.reason,
                record.at.timeIntervalSince1970,
            ])
        try execute(
            database,
            """
            DELETE FROM quarantine WHERE original IN (
                SELECT original FROM quarantine ORDER BY at DESC LIMIT -1 OFFSET ?)
            """, [Index.quarantineCapacity])
    }
}
