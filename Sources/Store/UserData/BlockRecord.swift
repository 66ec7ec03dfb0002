package import FoundationEssentials
import GRDB

/// Something that is never fetched or shown, or was blocked once and may be shown again.
package struct BlockRecord: Sendable, Equatable, Codable {
    /// Where a block comes from.
    package enum Origin: String, Sendable, Codable {
        /// A command or a request.
        case operators
        /// The file that the settings name.
        case file
        /// Another block, such as that of a thumbnail, which leads to that of its original.
        case derived
    }

    /// As on the command line: `tvmaze/show/1`, `tvmaze/show/1*`, a URL, `sha256-…`.
    package var target: String
    /// What clients are told; nil for nothing.
    package var reason: String?
    package var changedAt: Date
    /// Whether it may be shown again. The record stays, so that other nodes learn of it.
    package var isLifted = false
    package var origin = Origin.operators
    /// The target of the block that it follows from.
    package var parent: String?

    package init(
        target: String, reason: String?, changedAt: Date, isLifted: Bool = false,
        origin: Origin = .operators, parent: String? = nil
    ) {
        self.target = target
        self.reason = reason
        self.changedAt = changedAt
        self.isLifted = isLifted
        self.origin = origin
        self.parent = parent
    }
}

extension UserData {
    static func createBlocks(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE blocks (
                    target TEXT PRIMARY KEY, reason TEXT, changedAt REAL NOT NULL,
                    isLifted INTEGER NOT NULL, origin TEXT NOT NULL, parent TEXT) STRICT
                """)
    }

    /// Returns all records, lifted ones included, in the order in which they were changed.
    ///
    /// - Throws: `StoreError` if they can't be read. Unlike favorites they never count as none.
    package func blocks() async throws(StoreError) -> [BlockRecord] {
        try await readStrictly(Self.readBlocks)
    }

    /// Returns the same. Blocks the thread.
    package func blocksNow() throws(StoreError) -> [BlockRecord] {
        try readStrictlyNow(Self.readBlocks)
    }

    private static func readBlocks(_ database: Database) throws -> [BlockRecord] {
        // An older file that can't be written has no such table.
        guard try database.tableExists("blocks") else { return [] }
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT target, reason, changedAt, isLifted, origin, parent FROM blocks
                ORDER BY changedAt, target
                """)
        return try rows.map { row in
            var columns = RowColumns(row)
            var record = BlockRecord(
                target: try columns.next(), reason: try columns.nextIfAny(),
                changedAt: try columns.nextNearestDate())
            record.isLifted = try columns.next()
            // An origin of a later version counts as the operator's.
            record.origin = BlockRecord.Origin(rawValue: try columns.next()) ?? .operators
            record.parent = try columns.nextIfAny()
            return record
        }
    }

    /// Writes records in one transaction. Each replaces the one of its target.
    package func write(_ blocks: [BlockRecord]) async throws(StoreError) {
        try await write { database in
            for block in blocks {
                try database.execute(
                    sql: """
                        INSERT OR REPLACE INTO blocks
                            (target, reason, changedAt, isLifted, origin, parent)
                        VALUES (?, ?, ?, ?, ?, ?)
                        """,
                    arguments: [
                        block.target, block.reason, block.changedAt.timeIntervalSince1970,
                        block.isLifted, block.origin.rawValue, block.parent,
                    ])
            }
        }
    }
}
