import FoundationEssentials
import GRDB

/// Copies the readable rows of a damaged database into a new one.
struct Salvage {
    /// Rows per transaction, so that other writers get their turn.
    private static let batch = 500

    /// The damaged file that was moved aside.
    let path: String

    /// Adds rows to the tables of the same names unless their key exists. Each table is read from
    /// both ends up to the damage. Blocks.
    func copy(into target: any DatabaseWriter) throws {
        var configuration = Configuration()
        configuration.label = "salvage"
        configuration.readonly = true
        let source = try DatabaseQueue(path: path, configuration: configuration)
        let tables = try target.unsafeRead { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT name FROM sqlite_master WHERE type = 'table'
                    AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%'
                    """)
        }
        for table in tables {
            let columns = try target.unsafeRead { try key(of: table, $0) }
            for direction in ["ASC", "DESC"] {
                let order = columns.map { "\($0) \(direction)" }.joined(separator: ", ")
                let isWhole = try source.unsafeRead { database in
                    try copy(
                        database, "SELECT * FROM \(table) ORDER BY \(order)", table, into: target)
                }
                if isWhole { break }
            }
        }
        try source.close()
    }

    /// Returns the columns by which the table's rows are ordered in the file.
    private func key(of table: String, _ database: Database) throws -> [String] {
        do {
            _ = try Row.fetchOne(database, sql: "SELECT rowid FROM \(table) LIMIT 0")
            return ["rowid"]
        } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
            // WITHOUT ROWID.
            return try database.primaryKey(table).columns
        }
    }

    /// Returns whether all rows were read.
    private func copy(
        _ source: Database, _ sql: String, _ table: String, into target: any DatabaseWriter
    ) throws -> Bool {
        var rows: [Row] = []
        do {
            let cursor = try Row.fetchCursor(source, sql: sql)
            while let row = try cursor.next() {
                rows.append(row.copy())
                if rows.count == Self.batch {
                    try insert(rows, table, into: target)
                    rows = []
                }
            }
        } catch let error as DatabaseError where error.isDamage || error.resultCode == .SQLITE_ERROR
        {
            // The rows up to the damage, or none if an older file has no such table.
            try insert(rows, table, into: target)
            return false
        }
        try insert(rows, table, into: target)
        return true
    }

    /// Inserts rows and skips those that the table rejects.
    private func insert(_ rows: [Row], _ table: String, into target: any DatabaseWriter) throws {
        guard let first = rows.first else { return }
        let columns = first.columnNames.joined(separator: ", ")
        let places = first.columnNames.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT OR IGNORE INTO \(table) (\(columns)) VALUES (\(places))"
        try target.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
                let statement = try database.cachedStatement(sql: sql)
                for row in rows {
                    do {
                        try statement.execute(
                            arguments: StatementArguments(Array(row.databaseValues)))
                    } catch let error as DatabaseError
                        where error.resultCode == .SQLITE_CONSTRAINT
                    {
                        continue
                    }
                }
                return .commit
            }
        }
    }
}
