package import FoundationEssentials
import GRDB
package import Hashing

/// Which original an item shows at a level, or why it shows none.
package struct BindingRecord: Sendable, Equatable {
    /// `tvmaze/show/1`.
    package var item: String
    /// Level key as in ``ThumbnailKey/level``.
    package var level: String
    package var original: Digest?
    /// The URL the original came from.
    package var url: String?
    package var failure: FailureRecord?
    /// The chain of candidates that were tried, as the pipeline encodes it.
    package var trace: [UInt8]
    package var resolvedAt: Date
    package var freshUntil: Date

    package init(
        item: String, level: String, original: Digest?, url: String?, failure: FailureRecord?,
        trace: [UInt8], resolvedAt: Date, freshUntil: Date
    ) {
        self.item = item
        self.level = level
        self.original = original
        self.url = url
        self.failure = failure
        self.trace = trace
        self.resolvedAt = resolvedAt
        self.freshUntil = freshUntil
    }
}

extension BindingRecord {
    /// The SQL that creates the tables.
    ///
    /// A resolution is what was found out about an item at one time. Levels that were resolved
    /// together share it. Its original has its URL while `originals` has that URL with the same
    /// picture. The triggers remove resolutions and items that no binding refers to.
    static let tables = """
        CREATE TABLE resolutions (
            id INTEGER PRIMARY KEY,
            item INTEGER NOT NULL,
            picture INTEGER,
            original INTEGER,
            url TEXT,
            trace BLOB NOT NULL,
            resolvedAt INTEGER NOT NULL,
            freshUntil INTEGER NOT NULL,
            \(IndexRows.failureColumns)
        ) STRICT;
        CREATE INDEX resolutionsOfItem ON resolutions (item);
        CREATE INDEX resolutionsByPicture ON resolutions (picture) WHERE picture IS NOT NULL;
        CREATE TABLE bindings (
            item INTEGER NOT NULL,
            level TEXT NOT NULL,
            resolution INTEGER NOT NULL,
            PRIMARY KEY (item, level)
        ) STRICT, WITHOUT ROWID;
        CREATE TRIGGER bindingDeleted AFTER DELETE ON bindings BEGIN
            \(removeResolution);
            DELETE FROM items WHERE id = OLD.item AND NOT EXISTS (
                SELECT 1 FROM bindings WHERE item = OLD.item);
        END;
        CREATE TRIGGER bindingChanged AFTER UPDATE OF resolution ON bindings
        WHEN OLD.resolution <> NEW.resolution BEGIN
            \(removeResolution);
        END;
        """

    private static let removeResolution = """
        DELETE FROM resolutions WHERE id = OLD.resolution AND NOT EXISTS (
            SELECT 1 FROM bindings WHERE item = OLD.item AND resolution = OLD.resolution)
        """
}

extension IndexRows {
    static let bindingRows = """
        SELECT items.name, bindings.level, pictures.digest,
            coalesce(resolutions.url, originals.url), \(failure(of: "resolutions")),
            resolutions.trace, resolutions.resolvedAt, resolutions.freshUntil
        FROM items
        CROSS JOIN bindings ON bindings.item = items.id
        CROSS JOIN resolutions ON resolutions.id = bindings.resolution
        LEFT JOIN pictures ON pictures.id = resolutions.picture
        LEFT JOIN originals ON originals.id = resolutions.original
        """

    static func binding(
        _ database: Database, item: String, level: String
    ) throws -> BindingRecord? {
        try select(
            database,
            """
            \(bindingRows) WHERE items.name = ? AND bindings.level = ?
            """, [item, level], binding
        ).first
    }

    static func bindings(_ database: Database, item: String) throws -> [BindingRecord] {
        try select(
            database, "\(bindingRows) WHERE items.name = ? ORDER BY bindings.level", [item],
            binding)
    }

    /// The numbers of a binding that was written in this transaction.
    struct WrittenBinding {
        fileprivate let record: BindingRecord
        fileprivate let item: Int64
        fileprivate let resolution: Int64

        /// Returns whether another level was resolved together with it.
        fileprivate func isShared(by other: BindingRecord) -> Bool {
            var other = other
            other.level = record.level
            return other == record
        }
    }

    /// - Parameter last: the binding before it. Levels that were resolved together share its numbers.
    static func upsert(
        _ database: Database, _ record: BindingRecord, after last: inout WrittenBinding?
    ) throws {
        if let last, last.isShared(by: record) {
            return try bind(database, last.item, record.level, to: last.resolution)
        }
        last = nil
        let source = record.item.firstIndex(of: "/").map { String(record.item[..<$0]) } ?? ""
        let item = try item(database, record.item)
        let resolution = try resolution(database, record, item: item, source: source)
        try bind(database, item, record.level, to: resolution)
        last = WrittenBinding(record: record, item: item, resolution: resolution)
    }

    private static func bind(
        _ database: Database, _ item: Int64, _ level: String, to resolution: Int64
    ) throws {
        try execute(
            database,
            """
            INSERT INTO bindings (item, level, resolution) VALUES (?, ?, ?)
            ON CONFLICT (item, level) DO UPDATE SET resolution = excluded.resolution
            """, [item, level, resolution])
    }

    /// Returns the number of an equal resolution of the item, or that of a new one.
    private static func resolution(
        _ database: Database, _ record: BindingRecord, item: Int64, source: String
    ) throws -> Int64 {
        let picture = try record.original.map { try self.picture(database, $0, source: source) }
        var original: Int64?
        if let picture, let url = record.url {
            original = try number(
                database, "SELECT id FROM originals WHERE urlHash = ? AND url = ? AND picture = ?",
                [OriginalRecord.hash(ofURL: url), url, picture])
        }
        let values: [(any DatabaseValueConvertible)?] =
            try [
                picture, original, original == nil ? record.url : nil,
                Data(record.trace), IndexDate.milliseconds(record.resolvedAt),
                IndexDate.milliseconds(record.freshUntil),
            ] + failureValues(record.failure)
        let equal = try number(
            database,
            """
            SELECT id FROM resolutions WHERE item = ?1 AND picture IS ?2 AND original IS ?3
                AND url IS ?4 AND trace = ?5 AND resolvedAt = ?6 AND freshUntil = ?7
                AND failureKind IS ?8 AND failureReason IS ?9 AND failureUntil IS ?10
            """, [item] + values)
        if let equal { return equal }
        try execute(
            database,
            """
            INSERT INTO resolutions (item, picture, original, url, trace, resolvedAt, freshUntil,
                failureKind, failureReason, failureUntil)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, [item] + values)
        return database.lastInsertedRowID
    }

    static func binding(_ columns: inout RowColumns) throws -> BindingRecord {
        let item: String = try columns.next()
        let level: String = try columns.next()
        let original = try columns.nextDigestIfAny()
        let url: String? = try columns.nextIfAny()
        return BindingRecord(
            item: item, level: level, original: original, url: url,
            failure: try columns.nextFailure(), trace: try columns.nextBytes(),
            resolvedAt: try columns.nextMilliseconds(), freshUntil: try columns.nextMilliseconds())
    }
}
