import GRDB

/// How much of the earlier index is copied, in the table `imports` of this one.
enum ImportProgress {
    /// The SQL that creates the table. The row `all` is done when everything is copied.
    static let table = """
        CREATE TABLE imports (
            kind TEXT PRIMARY KEY,
            place ANY,
            copied INTEGER NOT NULL DEFAULT 0,
            isDone INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        """

    static func isDone(_ database: Database) throws -> Bool {
        try Bool.fetchOne(
            database.cachedStatement(sql: "SELECT isDone FROM imports WHERE kind = 'all'")) ?? false
    }

    static func place(
        of table: EarlierRows.Table, _ database: Database
    ) throws -> (DatabaseValue, isDone: Bool) {
        let sql = "SELECT place, isDone FROM imports WHERE kind = ?"
        return try IndexRows.select(database, sql, [table.rawValue]) {
            ($0.nextValue(), try $0.next() as Bool)
        }.first ?? (table.start, false)
    }

    static func keep(
        _ table: EarlierRows.Table, _ place: DatabaseValue, copied: Int, isDone: Bool,
        _ database: Database
    ) throws {
        try IndexRows.execute(
            database,
            """
            INSERT INTO imports (kind, place, copied, isDone) VALUES (?, ?, ?, ?)
            ON CONFLICT (kind) DO UPDATE SET place = excluded.place,
                copied = copied + excluded.copied, isDone = excluded.isDone
            """, [table.rawValue, place, copied, isDone])
    }

    /// Says that everything is copied, or given up.
    static func end(_ database: Database) throws {
        try IndexRows.execute(
            database,
            """
            INSERT INTO imports (kind, isDone) VALUES ('all', 1)
            ON CONFLICT (kind) DO UPDATE SET isDone = 1
            """, [])
    }
}
