import FoundationEssentials
import GRDB
import Hashing

/// The statements of the index, each prepared once per connection. A row with impossible values is an error, or
/// missing if ``RowFaults`` are collected. Each record's file has its own.
enum IndexRows {
    static func select<Record>(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?],
        _ record: (inout RowColumns) throws -> Record
    ) throws -> [Record] {
        let statement = try database.cachedStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: try arguments(values))
        var records: [Record] = []
        while let row = try rows.next() {
            var columns = RowColumns(row)
            do {
                records.append(try record(&columns))
            } catch let error as StoreError {
                guard let faults = RowFaults.current else { throw error }
                faults.add(error)
            }
        }
        return records
    }

    /// Calls `body` for each record, without keeping them, until one can't be read.
    static func each<Record>(
        _ database: Database, _ sql: String, _ record: (inout RowColumns) throws -> Record,
        _ body: (Record) throws -> Void
    ) throws {
        let rows = try Row.fetchCursor(database, sql: sql)
        while let row = try rows.next() {
            var columns = RowColumns(row)
            try body(try record(&columns))
        }
    }

    static func execute(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?]
    ) throws {
        try database.cachedStatement(sql: sql).execute(arguments: try arguments(values))
    }

    /// Refuses texts with a NUL, because SQLite's texts end there and a key would match another.
    private static func arguments(
        _ values: [(any DatabaseValueConvertible)?]
    ) throws -> StatementArguments {
        for case let text as String in values where text.utf8.contains(0) {
            throw StoreError.refusedText
        }
        return StatementArguments(values)
    }
}

extension StoreError {
    static let refusedText = StoreError.index(
        reason: "a text to be stored or looked up has a NUL character")
    static let refusedDate = StoreError.index(reason: "a date to be stored is in no calendar")

    /// Whether the caller's values are to blame, and not the disk.
    var isRefusal: Bool { self == .refusedText || self == .refusedDate }
}

extension Digest {
    /// The bytes as the index stores them.
    var data: Data { Data(bytes) }
}

// MARK: - Dates

extension IndexRows {
    /// The years 0 to 9999, in seconds since 1970. NaN is in no range.
    static let dates = -62_167_219_200.0..<253_402_300_800

    /// Returns milliseconds since 1970.
    static func milliseconds(_ date: Date) throws -> Int64 {
        Int64((try checked(date) * 1_000).rounded())
    }

    /// Returns whole seconds since 1970.
    static func seconds(_ date: Date) throws -> Int64 {
        Int64(try checked(date).rounded(.down))
    }

    private static func checked(_ date: Date) throws -> Double {
        let seconds = date.timeIntervalSince1970
        guard dates.contains(seconds) else {
            throw StoreError.refusedDate
        }
        return seconds
    }
}

// MARK: - Numbers of what many rows refer to: pictures and renditions

extension IndexRows {
    /// The source of contact sheets.
    static let sheets = "sheet"

    /// Returns the condition that a table's digest equals a value.
    static func digestMatches(_ table: String, _ value: String) -> String {
        "substr(\(table).digest, 1, 4) = substr(\(value), 1, 4) AND \(table).digest = \(value)"
    }

    /// Returns the first column of the first row.
    static func number(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?]
    ) throws -> Int64? {
        try select(database, sql, values) { try $0.next() as Int64 }.first
    }

    /// Removes renditions without thumbnails, whose recipes were replaced.
    static func removeUnusedRenditions(_ database: Database) throws {
        try execute(
            database,
            """
            DELETE FROM renditions WHERE NOT EXISTS (
                SELECT 1 FROM tallies WHERE rendition = renditions.id)
            """, [])
    }

    static func knownPicture(_ database: Database, _ digest: Digest) throws -> Int64? {
        let sql = "SELECT id FROM pictures WHERE \(digestMatches("pictures", "?1"))"
        return try number(database, sql, [digest.data])
    }

    /// Returns the number of a picture, and gives it one if it has none. A picture without a source
    /// gets this one.
    static func picture(
        _ database: Database, _ digest: Digest, source: String = ""
    ) throws -> Int64 {
        guard let id = try knownPicture(database, digest) else {
            try execute(
                database, "INSERT INTO pictures (digest, source) VALUES (?, ?)",
                [digest.data, source])
            return database.lastInsertedRowID
        }
        if !source.isEmpty {
            try execute(
                database, "UPDATE pictures SET source = ? WHERE id = ? AND source = ''",
                [source, id])
        }
        return id
    }
}
