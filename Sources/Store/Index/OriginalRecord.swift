package import FoundationEssentials
import GRDB

/// A fetched URL: the blob of its original, or why there is none.
package struct OriginalRecord: Sendable, Equatable {
    package var url: String
    /// nil if fetching failed. A failure keeps the digest of an earlier success.
    package var digest: Digest?
    package var byteCount: Int
    /// Size in upright pixels; 0 if unknown.
    package var width: Int
    package var height: Int
    /// `jpeg`, `png`, …; empty if unknown.
    package var format: String
    package var entityTag: String?
    package var lastModified: String?
    package var fetchedAt: Date
    package var freshUntil: Date
    /// Why the last attempt failed; nil after a success.
    package var failure: FailureRecord?

    package init(url: String, fetchedAt: Date, freshUntil: Date) {
        self.url = url
        self.byteCount = 0
        self.width = 0
        self.height = 0
        self.format = ""
        self.fetchedAt = fetchedAt
        self.freshUntil = freshUntil
    }
}

extension OriginalRecord {
    /// The SQL that creates the table.
    static let table = """
        CREATE TABLE originals (
            url TEXT NOT NULL PRIMARY KEY,
            digest BLOB CHECK (length(digest) = 32),
            byteCount INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            format TEXT NOT NULL,
            entityTag TEXT,
            lastModified TEXT,
            fetchedAt REAL NOT NULL,
            freshUntil REAL NOT NULL,
            failureKind TEXT,
            failureReason TEXT,
            failureUntil REAL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX originalsByDigest ON originals (digest) WHERE digest IS NOT NULL;
        """
}

extension IndexRows {
    private static let originalColumns = """
        url, digest, byteCount, width, height, format, entityTag, lastModified, fetchedAt, \
        freshUntil, failureKind, failureReason, failureUntil
        """

    static func original(_ database: Database, url: String) throws -> OriginalRecord? {
        try select(
            database, "SELECT \(originalColumns) FROM originals WHERE url = ?", [url], original
        ).first
    }

    static func allOriginals(_ database: Database) throws -> [OriginalRecord] {
        try select(database, "SELECT \(originalColumns) FROM originals", [], original)
    }

    /// Call it in a transaction, like all functions of this name.
    static func upsert(_ database: Database, _ record: OriginalRecord) throws {
        let failure = failureValues(record.failure)
        if record.digest == nil {
            // The bytes, validators and dates of an earlier success stay.
            try execute(
                database,
                """
                UPDATE originals SET failureKind = ?, failureReason = ?, failureUntil = ?
                WHERE url = ? AND digest IS NOT NULL
                """,
                failure + [record.url])
            if database.changesCount > 0 { return }
        }
        try execute(
            database,
            """
            INSERT OR REPLACE INTO originals (\(originalColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                record.url, record.digest?.data, record.byteCount, record.width, record.height,
                record.format, record.entityTag, record.lastModified,
                record.fetchedAt.timeIntervalSince1970, record.freshUntil.timeIntervalSince1970,
            ] + failure)
    }

    private static func original(_ columns: inout RowColumns) throws -> OriginalRecord {
        let url: String = try columns.next()
        let digest = try columns.nextDigestIfAny()
        let byteCount: Int = try columns.next()
        let width: Int = try columns.next()
        let height: Int = try columns.next()
        let format: String = try columns.next()
        let entityTag: String? = try columns.nextIfAny()
        let lastModified: String? = try columns.nextIfAny()
        var record = OriginalRecord(
            url: url, fetchedAt: try columns.nextDate(), freshUntil: try columns.nextDate())
        record.digest = digest
        record.byteCount = byteCount
        record.width = width
        record.height = height
        record.format = format
        record.entityTag = entityTag
        record.lastModified = lastModified
        record.failure = try columns.nextFailure()
        return record
    }
}
