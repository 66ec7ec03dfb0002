package import FoundationEssentials
import GRDB
import Hashing

extension ItemRecord {
    /// The SQL that creates the tables.
    ///
    /// A record has a row of its own, and one for each of its resolutions, so that expired ones and those of
    /// a picture are found by a key. (As JSON in one column they would take 60 bytes more per thumbnail, and
    /// the index more than it may.) The original of a resolution has its URL while `originals` has that URL
    /// with the same picture. The trigger removes an item with its last resolution.
    static let tables = """
        CREATE TABLE items (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            uploadSince INTEGER
        ) STRICT;
        CREATE INDEX itemsByUpload ON items (uploadSince) WHERE uploadSince IS NOT NULL;
        CREATE TABLE resolutions (
            id INTEGER PRIMARY KEY,
            item INTEGER NOT NULL,
            levels TEXT NOT NULL,
            picture INTEGER,
            original INTEGER,
            url TEXT,
            trace BLOB,
            resolvedAt INTEGER NOT NULL,
            freshUntil INTEGER NOT NULL,
            \(IndexRows.failureColumns)
        ) STRICT;
        CREATE INDEX resolutionsOfItem ON resolutions (item);
        CREATE INDEX resolutionsByPicture ON resolutions (picture) WHERE picture IS NOT NULL;
        CREATE TRIGGER resolutionDeleted AFTER DELETE ON resolutions BEGIN
            DELETE FROM items WHERE id = OLD.item AND NOT EXISTS (
                SELECT 1 FROM resolutions WHERE item = OLD.item);
        END;
        """
}

extension IndexRows {
    /// What ``RowColumns/nextResolution()`` reads.
    static let resolutionColumns = """
        resolutions.levels, pictures.digest, coalesce(resolutions.url, originals.url), \
        \(failure(of: "resolutions")), resolutions.trace, resolutions.resolvedAt, \
        resolutions.freshUntil
        """
    /// The tables of the columns besides `resolutions`.
    static let shownTables = """
        LEFT JOIN pictures ON pictures.id = resolutions.picture
        LEFT JOIN originals ON originals.id = resolutions.original
        """

    /// One row for each resolution.
    static let itemRows = """
        SELECT items.name, items.uploadSince, \(resolutionColumns)
        FROM items
        CROSS JOIN resolutions ON resolutions.item = items.id
        \(shownTables)
        """

    static func item(_ database: Database, _ name: String) throws -> ItemRecord {
        let parts = try select(database, "\(itemRows) WHERE items.name = ?", [name], item)
        return parts.dropFirst().reduce(into: parts.first ?? ItemRecord(name)) { $0.set($1) }
    }

    /// - Parameter items: a JSON list.
    static func items(_ database: Database, _ items: String) throws -> [ItemRecord] {
        let parts = try select(
            database,
            """
            \(itemRows) WHERE items.name IN (SELECT value FROM json_each(?)) ORDER BY items.id
            """, [items], item)
        return parts.reduce(into: []) { records, part in
            if records.last?.item == part.item {
                records[records.count - 1].set(part)
            } else {
                records.append(part)
            }
        }
    }

    /// Reads one resolution of an item.
    static func item(_ columns: inout RowColumns) throws -> ItemRecord {
        let name: String = try columns.next()
        let since = try columns.nextMillisecondsIfAny()
        return ItemRecord(name, [try columns.nextResolution()], uploadSince: since)
    }

    /// Replaces what is known of the levels of the record.
    static func upsert(_ database: Database, _ record: ItemRecord) throws {
        let known = try number(database, "SELECT id FROM items WHERE name = ?", [record.item])
        if known == nil {
            if record.resolutions.isEmpty { return }
            try execute(database, "INSERT INTO items (name) VALUES (?)", [record.item])
        }
        let item = known ?? database.lastInsertedRowID
        let rows = known == nil ? [] : try resolutions(database, of: item)
        var newest = ItemRecord(record.item, rows.compactMap(\.resolution))
        newest.set(record)
        var added = newest.resolutions.filter { new in !rows.contains { $0.resolution == new } }
        for row in rows
        where row.resolution.map({ !newest.resolutions.contains($0) }) ?? true {
            if let resolution = added.popLast() {
                try write(database, resolution, of: record.item, at: row.id, item: item)
            } else {
                try execute(database, "DELETE FROM resolutions WHERE id = ?", [row.id])
            }
        }
        for resolution in added {
            try write(database, resolution, of: record.item, at: nil, item: item)
        }
        guard let since = record.uploadSince else { return }
        // A new mark differs from the one that an upload under way has read.
        try execute(
            database,
            """
            UPDATE items SET uploadSince = max(?2, coalesce(uploadSince + 1, ?2)) WHERE id = ?1
            """, [item, try IndexDate.milliseconds(since)])
    }

    /// Returns the rows of an item. One that can't be read has no resolution, and is replaced.
    private static func resolutions(
        _ database: Database, of item: Int64
    ) throws -> [(id: Int64, resolution: ItemRecord.Resolution?)] {
        try select(
            database,
            """
            SELECT resolutions.id, \(resolutionColumns) FROM resolutions
            \(shownTables) WHERE resolutions.item = ?
            """, [item]
        ) { columns in
            let id: Int64 = try columns.next()
            do {
                return (id, try columns.nextResolution())
            } catch is StoreError {
                return (id, nil)
            }
        }
    }

    /// - Parameter row: the row that it replaces; nil for a new one.
    private static func write(
        _ database: Database, _ resolution: ItemRecord.Resolution, of name: String,
        at row: Int64?, item: Int64
    ) throws {
        let source = name.firstIndex(of: "/").map { String(name[..<$0]) } ?? ""
        let picture = try resolution.original.map {
            try self.picture(database, $0, source: source)
        }
        var original: Int64?
        if let picture, let url = resolution.url {
            original = try number(
                database, "SELECT id FROM originals WHERE urlHash = ? AND url = ? AND picture = ?",
                [OriginalRecord.hash(ofURL: url), url, picture])
        }
        let values: [(any DatabaseValueConvertible)?] =
            try [
                item, resolution.levels.joined(separator: " "), picture, original,
                original == nil ? resolution.url : nil, resolution.trace.map { Data($0.bytes) },
                IndexDate.milliseconds(resolution.resolvedAt),
                IndexDate.milliseconds(resolution.freshUntil),
            ] + failureValues(resolution.failure)
        guard let row else {
            return try execute(
                database,
                """
                INSERT INTO resolutions (item, levels, picture, original, url, trace, resolvedAt,
                    freshUntil, failureKind, failureReason, failureUntil)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, values)
        }
        try execute(
            database,
            """
            UPDATE resolutions SET item = ?, levels = ?, picture = ?, original = ?, url = ?,
                trace = ?, resolvedAt = ?, freshUntil = ?, failureKind = ?, failureReason = ?,
                failureUntil = ?
            WHERE id = ?
            """, values + [row])
    }
}

extension RowColumns {
    /// Reads the levels of a resolution. Their keys have no spaces.
    mutating func nextLevels() throws -> [String] {
        (try next() as String).split(separator: " ").map(String.init)
    }

    mutating func nextTrace() throws -> StoredTrace? {
        (try nextIfAny() as Data?).map { StoredTrace(bytes: [UInt8]($0)) }
    }

    /// Reads ``IndexRows/resolutionColumns``.
    mutating func nextResolution() throws -> ItemRecord.Resolution {
        let levels = try nextLevels()
        let original = try nextDigestIfAny()
        let url: String? = try nextIfAny()
        let failure = try nextFailure()
        let trace = try nextTrace()
        return ItemRecord.Resolution(
            levels: levels, original: original, url: url, failure: failure,
            trace: trace,
            resolvedAt: try nextMilliseconds(), freshUntil: try nextMilliseconds())
    }
}

// MARK: - Items that wait for their upload

/// An item that waits to be put into the shared store.
package struct UploadMark: Sendable, Equatable {
    package let item: String
    /// Since when it waits. A later mark of the item has another date.
    package let since: Date
}

extension Index {
    /// Returns the mark of an item on disk; nil if it doesn't wait.
    package func uploadMark(of item: String) async throws(StoreError) -> UploadMark? {
        try await read { database in
            try IndexRows.select(
                database,
                "SELECT name, uploadSince FROM items WHERE name = ? AND uploadSince IS NOT NULL",
                [item], IndexRows.uploadMark
            ).first
        }
    }

    /// Returns the items on disk that have waited longest, the oldest first.
    package func uploadMarks(limit: Int) async throws(StoreError) -> [UploadMark] {
        try await read { database in
            try IndexRows.select(
                database,
                """
                SELECT name, uploadSince FROM items WHERE uploadSince IS NOT NULL
                ORDER BY uploadSince LIMIT ?
                """, [limit], IndexRows.uploadMark)
        }
    }

    /// Returns how many items on disk wait, and since when the oldest does.
    package func uploadCount() async throws(StoreError) -> (count: Int, oldest: Date?) {
        try await read { database in
            try IndexRows.select(
                database,
                """
                SELECT count(*), min(uploadSince) FROM items WHERE uploadSince IS NOT NULL
                """, []
            ) { (count: try $0.next() as Int, oldest: try $0.nextMillisecondsIfAny()) }
            .first ?? (0, nil)
        }
    }

    /// Removes a mark, unless the item was marked again since the mark was read.
    package func remove(_ mark: UploadMark) async throws(StoreError) {
        try await write { database in
            try IndexRows.execute(
                database, "UPDATE items SET uploadSince = NULL WHERE name = ? AND uploadSince = ?",
                [mark.item, try IndexDate.milliseconds(mark.since)])
        }
    }
}

extension IndexRows {
    fileprivate static func uploadMark(_ columns: inout RowColumns) throws -> UploadMark {
        UploadMark(item: try columns.next(), since: try columns.nextMilliseconds())
    }
}
