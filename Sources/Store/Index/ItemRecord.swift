package import FoundationEssentials
import GRDB
package import Hashing

/// What was found out about an item: which original it shows at which levels, or why it shows none.
///
/// The index keeps it of each item, and the shared store for all nodes. Both write it in the same way:
/// what is said of a level replaces what was said of it before.
package struct ItemRecord: Sendable, Equatable, Codable {
    /// What was found out about some levels at one time.
    package struct Resolution: Sendable, Equatable, Codable {
        /// Keys of levels as in ``ThumbnailKey/level``, in order.
        package var levels: [String]
        package var original: Digest?
        /// The URL the original came from.
        package var url: String?
        /// The failure that left it without an original, or without a fresh one.
        package var failure: FailureRecord?
        /// The candidates that were tried.
        package var trace: StoredTrace?
        package var resolvedAt: Date
        package var freshUntil: Date

        package init(
            levels: [String], original: Digest?, url: String?, failure: FailureRecord?,
            trace: StoredTrace?, resolvedAt: Date, freshUntil: Date
        ) {
            self.levels = levels
            self.original = original
            self.url = url
            self.failure = failure
            self.trace = trace
            self.resolvedAt = resolvedAt
            self.freshUntil = freshUntil
        }
    }

    /// `tvmaze/show/1`.
    package let item: String
    /// Each level is in one of them at most. In the order of their first levels.
    package var resolutions: [Resolution]
    /// Since when it waits to be put into the shared store; nil if it doesn't. Other nodes have no use for
    /// it.
    package var uploadSince: Date?

    private enum CodingKeys: String, CodingKey {
        case item, resolutions
    }

    package init(_ item: String, _ resolutions: [Resolution] = [], uploadSince: Date? = nil) {
        self.item = item
        self.resolutions = resolutions
        self.uploadSince = uploadSince
    }

    /// Returns what is known of a level; nil if it was never resolved.
    package func resolution(of level: String) -> Resolution? {
        resolutions.first { $0.levels.contains(level) }
    }

    /// The originals that it shows.
    package var originals: Set<Digest> { Set(resolutions.compactMap(\.original)) }

    /// Replaces what is known of the levels of a resolution.
    package mutating func set(_ newer: Resolution) {
        var kept = keeping { level, _ in !newer.levels.contains(level) }.resolutions
        // Levels with the same result share it.
        if let same = kept.firstIndex(where: { $0.says(newer) }) {
            kept[same].levels = (kept[same].levels + newer.levels).sorted()
        } else {
            kept.append(newer)
            kept[kept.count - 1].levels.sort()
        }
        resolutions = kept.sorted { ($0.levels.first ?? "") < ($1.levels.first ?? "") }
    }

    /// Replaces what is known of the levels of another record, and takes over its mark.
    package mutating func set(_ newer: ItemRecord) {
        for resolution in newer.resolutions { set(resolution) }
        uploadSince = newer.uploadSince ?? uploadSince
    }

    /// Adds what another node found out: of a level that both know, what was resolved later.
    package mutating func merge(_ other: ItemRecord) {
        set(other.newer(than: self))
    }

    /// Returns what it says of levels of which another record says nothing, or something earlier.
    package func newer(than other: ItemRecord) -> ItemRecord {
        keeping { level, resolution in
            other.resolution(of: level).map { $0.resolvedAt < resolution.resolvedAt } ?? true
        }
    }

    /// Returns the record with some of its levels only.
    package func keeping(_ isKept: (_ level: String, Resolution) -> Bool) -> ItemRecord {
        var record = self
        record.resolutions = resolutions.compactMap { resolution in
            var part = resolution
            part.levels.removeAll { !isKept($0, resolution) }
            return part.levels.isEmpty ? nil : part
        }
        return record
    }
}

extension ItemRecord.Resolution {
    /// Returns whether another one says the same of other levels.
    func says(_ other: Self) -> Bool {
        var other = other
        other.levels = levels
        return other == self
    }

    /// The URLs that were tried for it.
    var addresses: Set<String> { Self.addresses(url, trace) }

    static func addresses(_ url: String?, _ trace: StoredTrace?) -> Set<String> {
        Set((trace?.trace?.steps ?? []).compactMap(\.url) + [url].compactMap(\.self))
    }
}

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
            """, [item, try milliseconds(since)])
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
                milliseconds(resolution.resolvedAt),
                milliseconds(resolution.freshUntil),
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
