import FoundationEssentials
import GRDB
import Hashing

/// Short numbers for what would be repeated in many rows.
///
/// Two numbers are packed into one key, so that a table needs no second tree for its key:
///
/// - a thumbnail's id is `picture << 12 | rendition`
/// - a binding's id is `item << 12 | level`
/// - a resolution's id is `item << 12 | number`, with numbers that are unique per item
enum IndexKeys {
    /// Words are levels, formats, sources and kinds of failures. Configurations have a few dozens.
    ///
    /// A picture is an original's digest. Its source is that of the first item that showed it, and
    /// 0 if no item did. Contact sheets have the source 1.
    ///
    /// Digests are indexed by their first bytes, and the row decides.
    static let tables = """
        CREATE TABLE words (
            id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 4095),
            word TEXT NOT NULL UNIQUE
        ) STRICT;
        INSERT INTO words VALUES (\(sheets), 'sheet');
        CREATE TABLE renditions (
            id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND 4095),
            level TEXT NOT NULL,
            format TEXT NOT NULL,
            recipe TEXT NOT NULL,
            UNIQUE (level, format, recipe)
        ) STRICT;
        CREATE TABLE items (
            id INTEGER PRIMARY KEY,
            source INTEGER NOT NULL,
            name TEXT NOT NULL,
            UNIQUE (source, name)
        ) STRICT;
        CREATE TABLE pictures (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            source INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX picturesByDigest ON pictures (substr(digest, 1, 4));
        CREATE INDEX picturesOfSheets ON pictures (source) WHERE source = \(sheets);
        """

    /// The largest number of a word, a rendition or a resolution, in the lower bits of a key.
    static let largestNumber: Int64 = 4_095
    /// The source of contact sheets.
    static let sheets: Int64 = 1
    /// Levels of contact sheets begin with this.
    static let sheetPrefix = "sheet-"

    /// Returns the keys that have `part` in their upper bits.
    static func range(of part: String) -> String {
        "BETWEEN (\(part) << 12) AND (\(part) << 12 | 4095)"
    }

    /// Returns the condition that a table's digest equals a value.
    static func digest(_ table: String, is value: String) -> String {
        "substr(\(table).digest, 1, 4) = substr(\(value), 1, 4) AND \(table).digest = \(value)"
    }

    /// Returns the condition that a row of `items` is the item of that name. The part before the
    /// first slash is its source; a name without a slash has the source 0.
    static func item(is name: String) -> String {
        """
        items.source = CASE instr(\(name), '/') WHEN 0 THEN 0 ELSE (
            SELECT id FROM words WHERE word = substr(\(name), 1, instr(\(name), '/') - 1)) END
        AND items.name = substr(\(name), instr(\(name), '/') + 1)
        """
    }

    /// The name of a row of `items`.
    static let itemName = """
        CASE items.source WHEN 0 THEN items.name
        ELSE (SELECT word FROM words WHERE id = items.source) || '/' || items.name END
        """

    /// Returns the word of a number.
    static func word(_ number: String) -> String {
        "(SELECT word FROM words WHERE id = \(number))"
    }

    /// Returns the number of a word; nil in SQL if it has none.
    static func number(ofWord word: String) -> String {
        "(SELECT id FROM words WHERE word = \(word))"
    }
}

extension IndexRows {
    /// Returns the first column of the first row.
    static func number(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?]
    ) throws -> Int64? {
        try select(database, sql, values) { try $0.next() as Int64 }.first
    }

    /// Returns the number of a word, and gives it one if it has none.
    static func word(_ database: Database, _ word: String) throws -> Int64 {
        let known = "SELECT id FROM words WHERE word = ?"
        if let id = try number(database, known, [word]) { return id }
        let id = try freeNumber(database, "words") { try removeUnusedWords(database) }
        try execute(database, "INSERT INTO words (id, word) VALUES (?, ?)", [id, word])
        return id
    }

    /// Returns a number that no row of a table has, of those that fit into the keys of other rows.
    ///
    /// - Parameter clear: removes rows that are not used.
    /// - Throws: ``StoreError/index(reason:)`` if all are used.
    private static func freeNumber(
        _ database: Database, _ table: String, _ clear: () throws -> Void
    ) throws -> Int64 {
        let next = "SELECT 1 + coalesce(max(id), 0) FROM \(table)"
        if let id = try number(database, next, []), id <= IndexKeys.largestNumber { return id }
        let gap = """
            SELECT 1 + min(id) FROM (SELECT 0 AS id UNION ALL SELECT id FROM \(table)) AS used
            WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE id = used.id + 1)
            """
        for isLast in [false, true] {
            if let id = try number(database, gap, []), id <= IndexKeys.largestNumber { return id }
            if !isLast { try clear() }
        }
        throw StoreError.index(reason: "it has no number left for more \(table)")
    }

    /// Removes words that no row uses. Reads all rows.
    static func removeUnusedWords(_ database: Database) throws {
        try execute(
            database,
            """
            DELETE FROM words WHERE id <> \(IndexKeys.sheets) AND id NOT IN (
                SELECT id & 4095 FROM bindings
                UNION SELECT source FROM items
                UNION SELECT source FROM pictures
                UNION SELECT source FROM tallies
                UNION SELECT format FROM originals
                UNION SELECT failureKind FROM originals WHERE failureKind IS NOT NULL
                UNION SELECT failureKind FROM resolutions WHERE failureKind IS NOT NULL)
            """, [])
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

    /// Does the same for a rendition.
    static func rendition(_ database: Database, _ key: ThumbnailKey) throws -> Int64 {
        let known = "SELECT id FROM renditions WHERE level = ? AND format = ? AND recipe = ?"
        let values = [key.level, key.format, key.recipe]
        if let id = try number(database, known, values) { return id }
        let id = try freeNumber(database, "renditions") {
            try execute(database, "DELETE FROM tallies WHERE thumbnails = 0 AND bytes = 0", [])
            try removeUnusedRenditions(database)
        }
        try execute(
            database, "INSERT INTO renditions (id, level, format, recipe) VALUES (?, ?, ?, ?)",
            [id] + values)
        return id
    }

    /// Does the same for an item.
    static func item(_ database: Database, _ name: String) throws -> Int64 {
        let known = "SELECT id FROM items WHERE \(IndexKeys.item(is: "?1"))"
        if let id = try number(database, known, [name]) { return id }
        let (source, rest) = splitItem(name)
        try execute(
            database, "INSERT INTO items (source, name) VALUES (?, ?)",
            [try source.map { try word(database, $0) } ?? 0, rest])
        return database.lastInsertedRowID
    }

    /// Returns the source and the rest of an item's name.
    static func splitItem(_ name: String) -> (source: String?, rest: String) {
        guard let slash = name.firstIndex(of: "/") else { return (nil, name) }
        return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }

    static func knownPicture(_ database: Database, _ digest: Digest) throws -> Int64? {
        let sql = "SELECT id FROM pictures WHERE \(IndexKeys.digest("pictures", is: "?1"))"
        return try number(database, sql, [digest.data])
    }

    /// Returns the number of a picture, and gives it one if it has none. A picture without a source
    /// gets this one.
    static func picture(
        _ database: Database, _ digest: Digest, source: Int64 = 0
    ) throws -> Int64 {
        guard let id = try knownPicture(database, digest) else {
            try execute(
                database, "INSERT INTO pictures (digest, source) VALUES (?, ?)",
                [digest.data, source])
            return database.lastInsertedRowID
        }
        if source != 0 {
            try execute(
                database, "UPDATE pictures SET source = ? WHERE id = ? AND source = 0",
                [source, id])
        }
        return id
    }
}
