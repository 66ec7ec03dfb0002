import FoundationEssentials
import GRDB

/// The statements of the index, each prepared once per connection. Each record's file has its own.
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
            records.append(try record(&columns))
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
