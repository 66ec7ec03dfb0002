import GRDB

/// Counters that triggers keep, so that statistics never count rows.
///
/// Bytes that are saved count originals and thumbnails apart: the bytes of all rows less those of
/// their different digests.
enum IndexCounters {
    /// `tallies` has a row per source and rendition, and `totals` has one row.
    static let tables = """
        CREATE TABLE tallies (
            source TEXT NOT NULL,
            rendition INTEGER NOT NULL,
            thumbnails INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (source, rendition)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE totals (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            originals INTEGER NOT NULL DEFAULT 0,
            originalBytes INTEGER NOT NULL DEFAULT 0,
            failures INTEGER NOT NULL DEFAULT 0,
            items INTEGER NOT NULL DEFAULT 0,
            documents INTEGER NOT NULL DEFAULT 0,
            documentBytes INTEGER NOT NULL DEFAULT 0,
            quarantined INTEGER NOT NULL DEFAULT 0,
            savedBytes INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        INSERT INTO totals (id) VALUES (1);
        """

    /// Created last, because they mention all other tables.
    static let triggers = [
        trigger("thumbnailAdded", "INSERT ON thumbnails", thumbnail("NEW", +1)),
        trigger("thumbnailRemoved", "DELETE ON thumbnails", thumbnail("OLD", -1)),
        trigger(
            "thumbnailReplaced", "UPDATE OF digest, byteCount ON thumbnails",
            thumbnail("OLD", -1) + thumbnail("NEW", +1)),
        trigger(
            "pictureMoved", "UPDATE OF source ON pictures WHEN OLD.source <> NEW.source",
            [-1, 1].map { sign in
                tally(
                    """
                    SELECT \(sign < 0 ? "OLD" : "NEW").source, rendition, \(sign),
                        \(sign) * byteCount
                    FROM thumbnails WHERE picture = NEW.id
                    """)
            }),
        trigger("originalAdded", "INSERT ON originals", original("NEW", +1)),
        trigger("originalRemoved", "DELETE ON originals", original("OLD", -1)),
        trigger(
            "originalReplaced", "UPDATE OF id, picture, byteCount, failureKind ON originals",
            original("OLD", -1) + original("NEW", +1)),
        trigger("itemAdded", "INSERT ON items", [total("items", "1")]),
        trigger("itemRemoved", "DELETE ON items", [total("items", "-1")]),
        trigger("documentAdded", "INSERT ON documents", document("NEW", +1)),
        trigger("documentRemoved", "DELETE ON documents", document("OLD", -1)),
        trigger(
            "documentReplaced", "UPDATE OF body ON documents",
            document("OLD", -1) + document("NEW", +1)),
        trigger("quarantineAdded", "INSERT ON quarantine", [total("quarantined", "1")]),
        trigger("quarantineRemoved", "DELETE ON quarantine", [total("quarantined", "-1")]),
    ].joined(separator: "\n")

    private static func trigger(_ name: String, _ event: String, _ steps: [String]) -> String {
        "CREATE TRIGGER \(name) AFTER \(event) BEGIN \(steps.joined(separator: "; ")); END;"
    }

    private static func total(_ column: String, _ change: String) -> String {
        "UPDATE totals SET \(column) = \(column) + \(change)"
    }

    /// - Parameter rows: a SELECT of source, rendition, number and bytes, with a WHERE.
    private static func tally(_ rows: String) -> String {
        """
        INSERT INTO tallies (source, rendition, thumbnails, bytes) \(rows)
        ON CONFLICT (source, rendition) DO UPDATE SET
            thumbnails = thumbnails + excluded.thumbnails, bytes = bytes + excluded.bytes
        """
    }

    private static func thumbnail(_ row: String, _ sign: Int) -> [String] {
        [
            tally(
                """
                SELECT source, \(row).rendition, \(sign), \(sign) * \(row).byteCount
                FROM pictures WHERE id = \(row).picture
                """),
            // While a row is replaced, NEW is stored already.
            total("savedBytes", "\(sign) * \(row).byteCount")
                + """
                 WHERE EXISTS (
                    SELECT 1 FROM thumbnails AS other
                    WHERE \(IndexRows.digestMatches("other", "\(row).digest"))
                        AND (picture, rendition) <> (\(row).picture, \(row).rendition))
                """,
        ]
    }

    private static func original(_ row: String, _ sign: Int) -> [String] {
        [
            """
            UPDATE totals SET originals = originals + \(sign),
                originalBytes = originalBytes + \(sign) * \(row).byteCount,
                savedBytes = savedBytes + CASE WHEN EXISTS (
                    SELECT 1 FROM originals AS other
                    WHERE picture = \(row).picture AND id <> \(row).id)
                    THEN \(sign) * \(row).byteCount ELSE 0 END
            WHERE \(row).picture IS NOT NULL
            """,
            total("failures", "\(sign)") + " WHERE \(row).failureKind IS NOT NULL",
        ]
    }

    private static func document(_ row: String, _ sign: Int) -> [String] {
        [
            """
            UPDATE totals SET documents = documents + \(sign),
                documentBytes = documentBytes + \(sign) * length(\(row).body)
            """
        ]
    }

    /// SELECTs that count what the counters should be, by column of `totals`. Read all rows.
    private static let counts = [
        ("originals", "SELECT count(*) FROM originals WHERE picture IS NOT NULL"),
        (
            "originalBytes",
            "SELECT coalesce(sum(byteCount), 0) FROM originals WHERE picture IS NOT NULL"
        ),
        ("failures", "SELECT count(*) FROM originals WHERE failureKind IS NOT NULL"),
        ("items", "SELECT count(*) FROM items"),
        ("documents", "SELECT count(*) FROM documents"),
        ("documentBytes", "SELECT coalesce(sum(length(body)), 0) FROM documents"),
        ("quarantined", "SELECT count(*) FROM quarantine"),
        (
            "savedBytes",
            """
            SELECT coalesce((
                SELECT sum(byteCount) FROM originals WHERE EXISTS (
                    SELECT 1 FROM originals AS other
                    WHERE other.picture = originals.picture AND other.id < originals.id)), 0)
                + coalesce((
                SELECT sum(byteCount) FROM thumbnails WHERE EXISTS (
                    SELECT 1 FROM thumbnails AS other
                    WHERE \(IndexRows.digestMatches("other", "thumbnails.digest"))
                        AND (other.picture, other.rendition)
                            < (thumbnails.picture, thumbnails.rendition))), 0)
            """
        ),
    ]

    private static let countedTallies = """
        SELECT pictures.source, thumbnails.rendition, count(*), sum(thumbnails.byteCount)
        FROM thumbnails JOIN pictures ON pictures.id = thumbnails.picture GROUP BY 1, 2
        """

    /// Returns the names of counters that differ from a count of all rows. Call it in a
    /// transaction, because rows and counters must be of the same moment.
    static func wrong(_ database: Database) throws -> [String] {
        var wrong = try counts.filter { column, count in
            let sql = "SELECT (SELECT \(column) FROM totals) IS (\(count))"
            return try Bool.fetchOne(database, sql: sql) != true
        }.map(\.0)
        let kept = "SELECT * FROM tallies WHERE thumbnails <> 0 OR bytes <> 0"
        let differing = """
            SELECT count(*) FROM (
                SELECT * FROM (\(kept) EXCEPT \(countedTallies))
                UNION ALL SELECT * FROM (\(countedTallies) EXCEPT \(kept)))
            """
        if try Int.fetchOne(database, sql: differing) != 0 { wrong.append("thumbnails") }
        return wrong
    }

    /// Counts all rows again. Call it in a transaction.
    static func recount(_ database: Database) throws {
        try database.execute(sql: "INSERT OR IGNORE INTO totals (id) VALUES (1)")
        for (column, count) in counts {
            try database.execute(sql: "UPDATE totals SET \(column) = (\(count))")
        }
        try database.execute(sql: "DELETE FROM tallies")
        try database.execute(sql: "INSERT INTO tallies \(countedTallies)")
    }
}
