import FoundationEssentials
import GRDB

/// What the index knows of a blob.
struct BlobUse: Sendable, Equatable {
    var isOriginal = false
    /// Whether thumbnails of it are stored, if it is an original.
    var hasThumbnails = false
    /// The originals of the thumbnails with these bytes.
    var thumbnailOf: [Digest] = []
    /// Items that show it; of a thumbnail, those of its originals.
    var items: [String] = []

    var isNamed: Bool { isOriginal || !thumbnailOf.isEmpty }
}

extension Index {
    /// Items of one blob that are looked at. More show a picture only if it stands for many.
    private static let maxItems = 64

    /// Returns the uses of blobs that rows refer to, also of rows in memory.
    func uses(of digests: [Digest]) async throws(StoreError) -> [Digest: BlobUse] {
        let found = try await all(by: \.digest) { database in
            try digests.map { digest in
                NamedUse(
                    digest: digest,
                    use: try IndexRows.use(database, of: digest, limit: Self.maxItems))
            }.filter(\.use.isNamed)
        }
        return Dictionary(found.map { ($0.digest, $0.use) }) { newer, _ in newer }
    }

    private struct NamedUse: Sendable {
        var digest: Digest
        var use: BlobUse
    }

    /// Removes thumbnails whose blobs were removed. Their items still know their originals.
    func forget(thumbnails digests: [Digest]) async throws(StoreError) {
        try await write { database in
            for digest in digests {
                try IndexRows.execute(
                    database, "DELETE FROM thumbnails WHERE digest = ?", [digest.data])
            }
        }
    }

    /// Digests that are read at a time, so that other work gets its turn.
    private static let batch = 512

    /// Returns the next digests of thumbnails, in order.
    func thumbnailDigests(after: Digest?) async throws(StoreError) -> [Digest] {
        try await read { database in
            try IndexRows.select(
                database,
                "SELECT DISTINCT digest FROM thumbnails WHERE digest > ? ORDER BY digest LIMIT ?",
                [after?.data ?? Data(), Self.batch]
            ) { try $0.nextDigest() }
        }
    }

    /// Returns the sum of the bytes of an item's thumbnails.
    func thumbnailBytes(ofItem item: String) async throws(StoreError) -> Int {
        try await first { try IndexRows.thumbnailBytes($0, item: item) } ?? 0
    }
}

extension IndexRows {
    fileprivate static func use(
        _ database: Database, of digest: Digest, limit: Int
    ) throws -> BlobUse {
        var use = BlobUse()
        use.isOriginal =
            try exists(
                database, "SELECT 1 FROM originals WHERE digest = ? LIMIT 1", digest)
            || exists(database, "SELECT 1 FROM bindings WHERE original = ? LIMIT 1", digest)
        if use.isOriginal {
            use.hasThumbnails = try exists(
                database, "SELECT 1 FROM thumbnails WHERE original = ? LIMIT 1", digest)
        }
        use.thumbnailOf = try select(
            database, "SELECT DISTINCT original FROM thumbnails WHERE digest = ? LIMIT ?",
            [digest.data, limit]
        ) { try $0.nextDigest() }
        for original in use.isOriginal ? [digest] + use.thumbnailOf : use.thumbnailOf {
            use.items += try select(
                database, "SELECT DISTINCT item FROM bindings WHERE original = ? LIMIT ?",
                [original.data, limit]
            ) { try $0.next() as String }
        }
        return use
    }

    private static func exists(
        _ database: Database, _ sql: String, _ digest: Digest
    ) throws -> Bool {
        try !select(database, sql, [digest.data]) { _ in true }.isEmpty
    }

    fileprivate static func thumbnailBytes(_ database: Database, item: String) throws -> Int? {
        let sql = """
            SELECT coalesce(sum(thumbnails.byteCount), 0) FROM bindings
            CROSS JOIN thumbnails ON thumbnails.original = bindings.original
                AND thumbnails.level = bindings.level
            WHERE bindings.item = ?
            """
        return try select(database, sql, [item]) { try $0.next() as Int }.first
    }
}
