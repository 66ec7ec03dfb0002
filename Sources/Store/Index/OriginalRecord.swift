package import FoundationEssentials
import GRDB
package import Hashing

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

    package init(
        url: String, digest: Digest? = nil, byteCount: Int = 0, width: Int = 0, height: Int = 0,
        format: String = "", entityTag: String? = nil, lastModified: String? = nil,
        fetchedAt: Date, freshUntil: Date, failure: FailureRecord? = nil
    ) {
        self.url = url
        self.digest = digest
        self.byteCount = byteCount
        self.width = width
        self.height = height
        self.format = format
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.fetchedAt = fetchedAt
        self.freshUntil = freshUntil
        self.failure = failure
    }

    /// The SQL that creates the table.
    ///
    /// URLs are indexed by a part of their hash, and the row decides.
    ///
    /// The triggers keep the URL of a resolution that refers to a row whose picture changes.
    static let table = """
        CREATE TABLE originals (
            id INTEGER PRIMARY KEY,
            urlHash INTEGER NOT NULL,
            url TEXT NOT NULL,
            picture INTEGER,
            byteCount INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            format TEXT NOT NULL,
            entityTag TEXT,
            lastModified TEXT,
            fetchedAt INTEGER NOT NULL,
            freshUntil INTEGER NOT NULL,
            \(IndexRows.failureColumns)
        ) STRICT;
        CREATE INDEX originalsByURL ON originals (urlHash);
        CREATE INDEX originalsByPicture ON originals (picture) WHERE picture IS NOT NULL;
        CREATE TRIGGER originalDeleted AFTER DELETE ON originals BEGIN
            UPDATE resolutions SET url = OLD.url, original = NULL
            WHERE picture = OLD.picture AND original = OLD.id;
        END;
        CREATE TRIGGER originalChanged AFTER UPDATE OF picture ON originals
        WHEN OLD.picture IS NOT NEW.picture BEGIN
            UPDATE resolutions SET url = OLD.url, original = NULL
            WHERE picture = OLD.picture AND original = OLD.id;
        END;
        """

    /// Returns the part of a URL's hash that is indexed.
    static func hash(ofURL url: String) -> Int64 {
        Digest(of: Array(url.utf8)).bytes.prefix(4).reduce(0) { $0 << 8 | Int64($1) } - 1 << 31
    }
}

extension IndexRows {
    private static let originalColumns = """
        originals.url, pictures.digest, byteCount, originals.width, originals.height, format, \
        entityTag, lastModified, fetchedAt, freshUntil, \
        \(failure(of: "originals"))
        """
    static let originalRows = """
        SELECT \(originalColumns) FROM originals LEFT JOIN pictures ON pictures.id = picture
        """

    static func original(_ database: Database, url: String) throws -> OriginalRecord? {
        try select(
            database, "\(originalRows) WHERE urlHash = ? AND url = ?",
            [OriginalRecord.hash(ofURL: url), url], original
        ).first
    }

    /// Call it in a transaction, like all functions of this name.
    static func upsert(_ database: Database, _ record: OriginalRecord) throws {
        let failure = try failureValues(record.failure)
        let hash = OriginalRecord.hash(ofURL: record.url)
        if record.digest == nil {
            // The bytes, validators and dates of an earlier success stay.
            try execute(
                database,
                """
                UPDATE originals SET failureKind = ?, failureReason = ?, failureUntil = ?
                WHERE urlHash = ? AND url = ? AND picture IS NOT NULL
                """,
                failure + [hash, record.url])
            if database.changesCount > 0 { return }
        }
        let values: [(any DatabaseValueConvertible)?] =
            try [
                record.digest.map { try picture(database, $0) }, record.byteCount, record.width,
                record.height, record.format, record.entityTag, record.lastModified,
                milliseconds(record.fetchedAt),
                milliseconds(record.freshUntil),
            ] + failure
        try execute(
            database,
            """
            UPDATE originals SET picture = ?, byteCount = ?, width = ?, height = ?, format = ?,
                entityTag = ?, lastModified = ?, fetchedAt = ?, freshUntil = ?, failureKind = ?,
                failureReason = ?, failureUntil = ?
            WHERE urlHash = ? AND url = ?
            """, values + [hash, record.url])
        if database.changesCount > 0 { return }
        try execute(
            database,
            """
            INSERT INTO originals (picture, byteCount, width, height, format, entityTag,
                lastModified, fetchedAt, freshUntil, failureKind, failureReason, failureUntil,
                urlHash, url)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, values + [hash, record.url])
    }

    static func original(_ columns: inout RowColumns) throws -> OriginalRecord {
        let url: String = try columns.next()
        let digest = try columns.nextDigestIfAny()
        let byteCount = try columns.nextByteCount()
        let (width, height) = try columns.nextSizeIfKnown()
        return OriginalRecord(
            url: url, digest: digest, byteCount: byteCount, width: width, height: height,
            format: try columns.next(), entityTag: try columns.nextIfAny(),
            lastModified: try columns.nextIfAny(), fetchedAt: try columns.nextMilliseconds(),
            freshUntil: try columns.nextMilliseconds(), failure: try columns.nextFailure())
    }

    static func withdraw(
        _ database: Database, _ digest: Digest, of url: String
    ) throws {
        try execute(
            database,
            """
            DELETE FROM originals WHERE urlHash = ?1 AND url = ?2 AND picture = (
                SELECT id FROM pictures WHERE \(digestMatches("pictures", "?3")))
            """, [OriginalRecord.hash(ofURL: url), url, digest.data])
    }
}
