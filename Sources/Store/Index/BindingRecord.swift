package import FoundationEssentials
import GRDB

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
    /// The SQL that creates the table.
    static let table = """
        CREATE TABLE bindings (
            item TEXT NOT NULL,
            level TEXT NOT NULL,
            original BLOB CHECK (length(original) = 32),
            url TEXT,
            failureKind TEXT,
            failureReason TEXT,
            failureUntil REAL,
            trace BLOB NOT NULL,
            resolvedAt REAL NOT NULL,
            freshUntil REAL NOT NULL,
            PRIMARY KEY (item, level)
        ) STRICT;
        CREATE INDEX bindingsByOriginal ON bindings (original) WHERE original IS NOT NULL;
        """
}

extension IndexRows {
    private static let bindingColumns = """
        item, level, original, url, failureKind, failureReason, failureUntil, trace, resolvedAt, \
        freshUntil
        """

    static func binding(
        _ database: Database, item: String, level: String
    ) throws -> BindingRecord? {
        try select(
            database, "SELECT \(bindingColumns) FROM bindings WHERE item = ? AND level = ?",
            [item, level], binding
        ).first
    }

    static func bindings(_ database: Database, item: String) throws -> [BindingRecord] {
        try select(
            database, "SELECT \(bindingColumns) FROM bindings WHERE item = ? ORDER BY level",
            [item], binding)
    }

    static func allBindings(_ database: Database) throws -> [BindingRecord] {
        try select(database, "SELECT \(bindingColumns) FROM bindings", [], binding)
    }

    static func upsert(_ database: Database, _ record: BindingRecord) throws {
        try execute(
            database,
            """
            INSERT OR REPLACE INTO bindings (\(bindingColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [record.item, record.level, record.original?.data, record.url]
                + failureValues(record.failure) + [
                    Data(record.trace), record.resolvedAt.timeIntervalSince1970,
                    record.freshUntil.timeIntervalSince1970,
                ])
    }

    private static func binding(_ columns: inout RowColumns) throws -> BindingRecord {
        BindingRecord(
            item: try columns.next(), level: try columns.next(),
            original: try columns.nextDigestIfAny(), url: try columns.nextIfAny(),
            failure: try columns.nextFailure(), trace: try columns.nextBytes(),
            resolvedAt: try columns.nextDate(), freshUntil: try columns.nextDate())
    }
}
