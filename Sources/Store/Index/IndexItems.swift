import FoundationEssentials
import GRDB
package import Hashing

extension Index {
    /// Returns the items that show a picture whose original, or one of whose thumbnails, has this digest.
    /// Items that are not on disk yet are missing.
    package func items(showing digest: Digest, limit: Int) async throws(StoreError) -> [String] {
        try await read { database in
            try IndexRows.select(
                database,
                """
                WITH \(IndexRows.shownPictures)
                SELECT DISTINCT items.name
                FROM shown
                CROSS JOIN resolutions ON resolutions.picture = shown.picture
                CROSS JOIN items ON items.id = resolutions.item
                ORDER BY items.id LIMIT ?2
                """, [digest.data, limit]
            ) { try $0.next() as String }
        }
    }

    /// Items among which ``newestItems(of:kind:limit:)`` looks, so that it never reads a whole index.
    private static let newest: Int64 = 50_000

    /// Returns the items of a kind that have a picture and were added last, the newest first. Items
    /// that are not on disk yet are missing.
    package func newestItems(
        of source: String, kind: String, limit: Int
    ) async throws(StoreError) -> [String] {
        try await read { database in
            try IndexRows.select(
                database,
                """
                SELECT name FROM items
                WHERE id > (SELECT coalesce(max(id), 0) FROM items) - \(Self.newest)
                AND substr(name, 1, length(?1)) = ?1
                AND EXISTS (
                    SELECT 1 FROM resolutions WHERE item = items.id AND picture IS NOT NULL)
                ORDER BY id DESC LIMIT ?2
                """, ["\(source)/\(kind)/", limit]
            ) { try $0.next() as String }
        }
    }
}

extension IndexRows {
    /// A table of the pictures whose original, or one of whose thumbnails, has the digest of `?1`.
    fileprivate static let shownPictures = """
        shown(picture) AS (
            SELECT id FROM pictures WHERE \(IndexKeys.digest("pictures", is: "?1"))
            UNION
            SELECT picture FROM thumbnails WHERE \(IndexKeys.digest("thumbnails", is: "?1")))
        """

    static func isShown(
        _ database: Database, _ digest: Digest, expiringBy date: Date
    ) throws -> Bool {
        let sql = """
            WITH \(shownPictures)
            SELECT EXISTS (
                SELECT 1 FROM shown
                CROSS JOIN resolutions ON resolutions.picture = shown.picture AND freshUntil <= ?2)
            OR EXISTS (
                SELECT 1 FROM shown
                CROSS JOIN originals ON originals.picture = shown.picture AND freshUntil <= ?2)
            """
        let values: [any DatabaseValueConvertible] = [
            digest.data, try IndexDate.milliseconds(date),
        ]
        return try select(database, sql, values) { try $0.next() as Bool }.first ?? false
    }
}
