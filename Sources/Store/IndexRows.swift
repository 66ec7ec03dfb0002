import FoundationEssentials
import GRDB

/// Records as rows: the statements of the index, each prepared once per connection.
enum IndexRows {
    private static let originalColumns = """
        url, digest, byteCount, width, height, format, entityTag, lastModified, fetchedAt, \
        freshUntil, failureKind, failureReason, failureUntil
        """
    private static let thumbnailColumns = """
        original, level, format, recipe, digest, byteCount, width, height, renderedAt
        """
    private static let bindingColumns = """
        item, level, original, url, failureKind, failureReason, failureUntil, trace, resolvedAt, \
        freshUntil
        """
    private static let documentColumns = "key, body, fetchedAt, expiresAt"

    static func original(_ database: Database, url: String) throws -> OriginalRecord? {
        try select(
            database, "SELECT \(originalColumns) FROM originals WHERE url = ?", [url], original
        ).first
    }

    static func thumbnail(_ database: Database, _ key: ThumbnailKey) throws -> ThumbnailRecord? {
        try select(
            database,
            """
            SELECT \(thumbnailColumns) FROM thumbnails
            WHERE original = ? AND level = ? AND format = ? AND recipe = ?
            """,
            [key.original.data, key.level, key.format, key.recipe], thumbnail
        ).first
    }

    static func thumbnails(_ database: Database, of original: Digest) throws -> [ThumbnailRecord] {
        try select(
            database,
            """
            SELECT \(thumbnailColumns) FROM thumbnails
            WHERE original = ? ORDER BY level, format, recipe
            """,
            [original.data], thumbnail)
    }

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

    static func document(_ database: Database, _ key: String) throws -> DocumentRecord? {
        try select(
            database, "SELECT \(documentColumns) FROM documents WHERE key = ?", [key], document
        ).first
    }

    /// `keys` as a JSON list.
    static func documents(_ database: Database, keys: String) throws -> [DocumentRecord] {
        try select(
            database,
            """
            SELECT \(documentColumns) FROM documents
            WHERE key IN (SELECT value FROM json_each(?))
            """, [keys], document)
    }

    static func statistics(_ database: Database) throws -> IndexStatistics {
        let sql = """
            SELECT (SELECT count(*) FROM originals WHERE digest IS NOT NULL),
                (SELECT count(*) FROM originals WHERE failureKind IS NOT NULL),
                (SELECT count(*) FROM thumbnails),
                (SELECT count(DISTINCT item) FROM bindings),
                (SELECT count(*) FROM documents),
                (SELECT count(*) FROM quarantine),
                (SELECT coalesce(sum(byteCount), 0) FROM originals WHERE digest IS NOT NULL),
                (SELECT coalesce(sum(byteCount), 0) FROM thumbnails)
            """
        let found = try select(database, sql, []) { columns in
            var statistics = IndexStatistics()
            statistics.originals = try columns.next()
            statistics.failures = try columns.next()
            statistics.thumbnails = try columns.next()
            statistics.items = try columns.next()
            statistics.documents = try columns.next()
            statistics.quarantined = try columns.next()
            statistics.originalBytes = try columns.next()
            statistics.thumbnailBytes = try columns.next()
            return statistics
        }
        return found.first ?? IndexStatistics()
    }

    /// All rows of all tables; for a few.
    static func everything(_ database: Database) throws -> IndexChange {
        var change = IndexChange()
        change.originals = try select(
            database, "SELECT \(originalColumns) FROM originals", [], original)
        change.thumbnails = try select(
            database, "SELECT \(thumbnailColumns) FROM thumbnails", [], thumbnail)
        change.bindings = try select(
            database, "SELECT \(bindingColumns) FROM bindings", [], binding)
        change.documents = try select(
            database, "SELECT \(documentColumns) FROM documents", [], document)
        change.summaries = try summaries(database)
        change.quarantined = try quarantined(database)
        return change
    }

    /// In a transaction, as all of these.
    static func upsert(_ database: Database, _ record: OriginalRecord) throws {
        let failure = failureValues(record.failure)
        if record.digest == nil {
            // The bytes of an earlier success, and their validators and dates, stay.
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

    static func upsert(_ database: Database, _ record: ThumbnailRecord) throws {
        try execute(
            database,
            """
            INSERT OR REPLACE INTO thumbnails (\(thumbnailColumns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                record.key.original.data, record.key.level, record.key.format, record.key.recipe,
                record.digest.data, record.byteCount, record.width, record.height,
                record.renderedAt.timeIntervalSince1970,
            ])
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

    static func upsert(_ database: Database, _ record: DocumentRecord) throws {
        try execute(
            database,
            "INSERT OR REPLACE INTO documents (\(documentColumns)) VALUES (?, ?, ?, ?)",
            [
                record.key, Data(record.body), record.fetchedAt.timeIntervalSince1970,
                record.expiresAt.timeIntervalSince1970,
            ])
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

    private static func thumbnail(_ columns: inout RowColumns) throws -> ThumbnailRecord {
        ThumbnailRecord(
            key: ThumbnailKey(
                original: try columns.nextDigest(), level: try columns.next(),
                format: try columns.next(), recipe: try columns.next()),
            digest: try columns.nextDigest(), byteCount: try columns.next(),
            width: try columns.next(), height: try columns.next(),
            renderedAt: try columns.nextDate())
    }

    private static func binding(_ columns: inout RowColumns) throws -> BindingRecord {
        BindingRecord(
            item: try columns.next(), level: try columns.next(),
            original: try columns.nextDigestIfAny(), url: try columns.nextIfAny(),
            failure: try columns.nextFailure(), trace: try columns.nextBytes(),
            resolvedAt: try columns.nextDate(), freshUntil: try columns.nextDate())
    }

    private static func document(_ columns: inout RowColumns) throws -> DocumentRecord {
        DocumentRecord(
            key: try columns.next(), body: try columns.nextBytes(),
            fetchedAt: try columns.nextDate(), expiresAt: try columns.nextDate())
    }

    private static func failureValues(
        _ failure: FailureRecord?
    ) -> [(any DatabaseValueConvertible)?] {
        [failure?.kind, failure?.reason, failure?.until.timeIntervalSince1970]
    }

    static func select<Record>(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?],
        _ record: (inout RowColumns) throws -> Record
    ) throws -> [Record] {
        let statement = try database.cachedStatement(sql: sql)
        let rows = try Row.fetchCursor(statement, arguments: try arguments(values))
        var records: [Record] = []
        while let row = try rows.next() {
            var columns = RowColumns(row)
            records.append(try record(&columns))
        }
        return records
    }

    static func execute(
        _ database: Database, _ sql: String, _ values: [(any DatabaseValueConvertible)?]
    ) throws {
        try database.cachedStatement(sql: sql).execute(arguments: try arguments(values))
    }

    /// SQLite's texts end at a NUL: a key with one would be taken for another.
    private static func arguments(
        _ values: [(any DatabaseValueConvertible)?]
    ) throws -> StatementArguments {
        for case let text as String in values where text.utf8.contains(0) {
            throw StoreError.index(reason: "a text to be stored or looked up has a NUL character")
        }
        return StatementArguments(values)
    }
}
