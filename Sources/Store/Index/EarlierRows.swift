import FoundationEssentials
import GRDB

/// The rows of `vitrine.sqlite`, the index of earlier versions. They are only read.
///
/// Each row has its whole key: digests as blobs, names as texts, dates as seconds since 1970.
struct EarlierRows: IndexReading {
    /// The migrations of the versions that can be read.
    static let migrations: Set<String> = ["v1", "summaries", "quarantine"]

    let database: Database

    init(_ database: Database) { self.database = database }

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
    private static let summaryColumns = "original, thumbHash, colour, width, height"
    private static let quarantineColumns = "original, recipe, reason, at"

    func original(url: String) throws -> OriginalRecord? {
        try originals("url = ?", [url]).first
    }

    func thumbnail(_ key: ThumbnailKey) throws -> ThumbnailRecord? {
        try thumbnails(
            "original = ? AND level = ? AND format = ? AND recipe = ?",
            [key.original.data, key.level, key.format, key.recipe]
        ).first
    }

    func thumbnails(of original: Digest) throws -> [ThumbnailRecord] {
        try thumbnails("original = ?", [original.data])
    }

    func binding(item: String, level: String) throws -> BindingRecord? {
        try bindings("item = ? AND level = ?", [item, level]).first?.record
    }

    func bindings(item: String) throws -> [BindingRecord] {
        try bindings("item = ? ORDER BY level", [item]).map(\.record)
    }

    func document(_ key: String) throws -> DocumentRecord? {
        try documents("key = ?", [key]).first?.record
    }

    func documents(keys: String) throws -> [DocumentRecord] {
        try documents("key IN (SELECT value FROM json_each(?))", [keys]).map(\.record)
    }

    func summary(of original: Digest) throws -> SummaryRecord? {
        try summaries("original = ?", [original.data]).first
    }

    func quarantined(_ original: Digest) throws -> QuarantineRecord? {
        try quarantined("original = ?", [original.data]).first
    }

    func isNamed(_ digest: Digest) throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM thumbnails WHERE digest = ?1)
                OR EXISTS (SELECT 1 FROM originals WHERE digest = ?1)
                OR EXISTS (SELECT 1 FROM bindings WHERE original = ?1)
            """
        return try IndexRows.select(database, sql, [digest.data]) { try $0.next() as Bool }
            .first ?? false
    }

    /// Returns false, because every expiry of an earlier version is a time after the response.
    func isShown(_ digest: Digest, expiringBy date: Date) throws -> Bool { false }

    func shown(items: String) throws -> [ShownRecord] {
        let sql = """
            SELECT bindings.item, bindings.level, thumbnails.width, thumbnails.height,
                bindings.original, summaries.thumbHash, summaries.colour, summaries.width,
                summaries.height
            FROM json_each(?) AS wanted
            CROSS JOIN bindings ON bindings.item = wanted.value
            CROSS JOIN thumbnails ON thumbnails.original = bindings.original
                AND thumbnails.level = bindings.level
            LEFT JOIN summaries ON summaries.original = bindings.original
            GROUP BY bindings.item, bindings.level
            """
        return try IndexRows.select(database, sql, [items]) { try ShownRecord(&$0) }
    }

    /// None: they are looked up again, one by one, when they are asked for.
    func unshown(items: String) throws -> [UnshownRecord] { [] }

    func tiles(
        items: String, level: String, format: String, recipe: String
    ) throws -> [TileRecord] {
        let sql = """
            SELECT bindings.item, bindings.freshUntil, bindings.original IS NOT NULL,
                bindings.failureKind, bindings.failureReason, bindings.failureUntil,
                thumbnails.original, thumbnails.digest, thumbnails.byteCount, thumbnails.width,
                thumbnails.height, thumbnails.renderedAt
            FROM json_each(?) AS wanted
            CROSS JOIN bindings ON bindings.item = wanted.value AND bindings.level = ?
            LEFT JOIN thumbnails ON thumbnails.original = bindings.original
                AND thumbnails.level = bindings.level AND thumbnails.format = ?
                AND thumbnails.recipe = ?
            """
        return try IndexRows.select(database, sql, [items, level, format, recipe]) { columns in
            var record = TileRecord(
                item: try columns.next(), freshUntil: try columns.nextDate(),
                isBound: try columns.next(), failure: try columns.nextEarlierFailure())
            if let original = try columns.nextDigestIfAny() {
                record.thumbnail = ThumbnailRecord(
                    key: ThumbnailKey(
                        original: original, level: level, format: format, recipe: recipe),
                    digest: try columns.nextDigest(), byteCount: try columns.next(),
                    width: try columns.next(), height: try columns.next(),
                    renderedAt: try columns.nextDate())
            }
            return record
        }
    }

    // MARK: - Rows by a condition

    private typealias Values = [(any DatabaseValueConvertible)?]

    private func originals(_ condition: String, _ values: Values) throws -> [OriginalRecord] {
        let sql = "SELECT \(Self.originalColumns) FROM originals WHERE \(condition)"
        return try IndexRows.select(database, sql, values) { columns in
            let url: String = try columns.next()
            let digest = try columns.nextDigestIfAny()
            let sizes = [try columns.next() as Int, try columns.next(), try columns.next()]
            let format: String = try columns.next()
            let entityTag: String? = try columns.nextIfAny()
            let lastModified: String? = try columns.nextIfAny()
            var record = OriginalRecord(
                url: url, fetchedAt: try columns.nextDate(),
                freshUntil: try columns.nextDate())
            record.digest = digest
            (record.byteCount, record.width, record.height) = (sizes[0], sizes[1], sizes[2])
            record.format = format
            record.entityTag = entityTag
            record.lastModified = lastModified
            record.failure = try columns.nextEarlierFailure()
            return record
        }
    }

    private func thumbnails(_ condition: String, _ values: Values) throws -> [ThumbnailRecord] {
        let sql = "SELECT \(Self.thumbnailColumns) FROM thumbnails WHERE \(condition)"
        return try IndexRows.select(database, sql, values) { columns in
            ThumbnailRecord(
                key: ThumbnailKey(
                    original: try columns.nextDigest(), level: try columns.next(),
                    format: try columns.next(), recipe: try columns.next()),
                digest: try columns.nextDigest(), byteCount: try columns.next(),
                width: try columns.next(), height: try columns.next(),
                renderedAt: try columns.nextDate())
        }
    }

    private func bindings(
        _ condition: String, _ values: Values
    ) throws -> [(record: BindingRecord, row: Int64)] {
        let sql = "SELECT \(Self.bindingColumns), rowid FROM bindings WHERE \(condition)"
        return try IndexRows.select(database, sql, values) { columns in
            let record = BindingRecord(
                item: try columns.next(), level: try columns.next(),
                original: try columns.nextDigestIfAny(), url: try columns.nextIfAny(),
                failure: try columns.nextEarlierFailure(), trace: try columns.nextBytes(),
                resolvedAt: try columns.nextDate(),
                freshUntil: try columns.nextDate())
            return (record, try columns.next())
        }
    }

    private func documents(
        _ condition: String, _ values: Values
    ) throws -> [(record: DocumentRecord, row: Int64)] {
        let sql = "SELECT \(Self.documentColumns), rowid FROM documents WHERE \(condition)"
        return try IndexRows.select(database, sql, values) { columns in
            let record = DocumentRecord(
                key: try columns.next(), body: try columns.nextBytes(),
                fetchedAt: try columns.nextDate(),
                expiresAt: try columns.nextDate())
            return (record, try columns.next())
        }
    }

    private func summaries(_ condition: String, _ values: Values) throws -> [SummaryRecord] {
        let sql = "SELECT \(Self.summaryColumns) FROM summaries WHERE \(condition)"
        return try IndexRows.select(database, sql, values) { columns in
            SummaryRecord(
                original: try columns.nextDigest(), thumbHash: try columns.nextBytes(),
                color: try columns.next(), width: try columns.next(),
                height: try columns.next())
        }
    }

    private func quarantined(_ condition: String, _ values: Values) throws -> [QuarantineRecord] {
        let sql = "SELECT \(Self.quarantineColumns) FROM quarantine WHERE \(condition)"
        return try IndexRows.select(database, sql, values) { columns in
            QuarantineRecord(
                original: try columns.nextDigest(), recipe: try columns.next(),
                reason: try columns.next(), at: try columns.nextDate())
        }
    }
}

// MARK: - All rows

extension EarlierRows {
    /// Tables in the order in which they are imported: a binding after the thumbnails that it
    /// shows.
    enum Table: String, CaseIterable {
        case originals, summaries, thumbnails, bindings, documents, quarantine

        /// Before the first row.
        var start: DatabaseValue {
            switch self {
            case .originals: "".databaseValue
            case .summaries, .thumbnails, .quarantine: Data().databaseValue
            case .bindings, .documents: Int64.min.databaseValue
            }
        }
    }

    /// Returns the next rows of a table and the place behind them; nil at the end. About `count`
    /// rows.
    func rows(
        of table: Table, after place: DatabaseValue, count: Int
    ) throws -> (change: IndexChange, place: DatabaseValue)? {
        var change = IndexChange()
        let last: DatabaseValue?
        switch table {
        case .originals:
            change.originals = try originals("url > ? ORDER BY url LIMIT ?", [place, count])
            last = change.originals.last?.url.databaseValue
        case .summaries:
            change.summaries = try summaries(
                "original > ? ORDER BY original LIMIT ?", [place, count])
            last = change.summaries.last?.original.data.databaseValue
        case .thumbnails:
            // Whole originals, because the place is one.
            change.thumbnails = try thumbnails(
                """
                original > ?1 AND original <= (
                    SELECT max(original) FROM (
                        SELECT original FROM thumbnails WHERE original > ?1
                        ORDER BY original LIMIT ?2)) ORDER BY original
                """, [place, count])
            last = change.thumbnails.last?.key.original.data.databaseValue
        case .bindings:
            let rows = try bindings("rowid > ? ORDER BY rowid LIMIT ?", [place, count])
            change.bindings = rows.map(\.record)
            last = rows.last?.row.databaseValue
        case .documents:
            let rows = try documents("rowid > ? ORDER BY rowid LIMIT ?", [place, count])
            change.documents = rows.map(\.record)
            last = rows.last?.row.databaseValue
        case .quarantine:
            change.quarantined = try quarantined(
                "original > ? ORDER BY original LIMIT ?", [place, count])
            last = change.quarantined.last?.original.data.databaseValue
        }
        return last.map { (change, $0) }
    }

    /// Returns the next digests of blobs that rows refer to, in order.
    func digests(after: Digest?, count: Int) throws -> [Digest] {
        let sql = """
            SELECT * FROM (SELECT digest FROM originals WHERE digest > ?1 ORDER BY 1 LIMIT ?2)
            UNION SELECT * FROM (SELECT digest FROM thumbnails WHERE digest > ?1 ORDER BY 1 LIMIT ?2)
            UNION SELECT * FROM (
                SELECT original FROM bindings WHERE original > ?1 ORDER BY 1 LIMIT ?2)
            ORDER BY 1 LIMIT ?2
            """
        return try IndexRows.select(database, sql, [after?.data ?? Data(), count]) {
            try $0.nextDigest()
        }
    }
}

extension RowColumns {
    fileprivate mutating func nextEarlierFailure() throws -> FailureRecord? {
        let kind: String? = try nextIfAny()
        let reason: String? = try nextIfAny()
        let until: Double? = try nextIfAny()
        guard let kind, let reason, let until else { return nil }
        return FailureRecord(kind: kind, reason: reason, until: try date(until))
    }
}
