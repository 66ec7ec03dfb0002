import FoundationEssentials
import GRDB
package import Hashing
import Threads

/// What names blobs, and what becomes of rows whose blobs are gone.
extension Index {
    /// Digests that are read at a time, so that other work gets its turn.
    private static let batch = 512

    /// Returns the uses of blobs that rows refer to, also of rows in memory.
    ///
    /// - Throws: ``StoreError`` if the index can't be read, whatever the policy: a blob that it
    ///   can't name must not count as unused.
    func uses(of digests: [Digest]) async throws(StoreError) -> [Digest: BlobUse] {
        let stored = try await read { try IndexRows.uses($0, of: digests) }
        return await uses(of: Set(digests), besides: stored)
    }

    /// Adds the uses by rows in memory to those on disk.
    func uses(
        of digests: Set<Digest>, besides stored: [Digest: BlobUse] = [:]
    ) async -> [Digest: BlobUse] {
        guard let unsaved, !unsaved.isEmpty else { return stored }
        return await threads.run {
            unsaved.read { $0.uses(of: digests, besides: stored) } ?? stored
        }
    }

    /// Removes thumbnails whose blobs were removed. Their items still know their originals.
    func forget(thumbnails digests: [Digest]) async throws(StoreError) {
        let _: [Void] = try await freeing(digests) { database, digests in
            for digest in digests {
                try IndexRows.execute(
                    database,
                    "DELETE FROM thumbnails WHERE \(IndexRows.digestMatches("thumbnails", "?1"))",
                    [digest.data])
            }
        }
    }

    /// Removes originals whose blobs were removed, with the resolutions that show them, unless they have
    /// thumbnails. Remembered failures stay.
    func forget(originals digests: [Digest]) async throws(StoreError) {
        let _: [Void] = try await freeing(digests) { database, digests in
            for digest in digests { try IndexRows.forget(database, original: digest) }
        }
    }

    /// Passes on thumbnails whose blob is gone, then originals without thumbnails whose blob is gone.
    /// Another original whose blob is gone may have been evicted.
    ///
    /// - Parameter forgetting: whether their rows are removed.
    func lookForMissing(
        _ blobs: BlobStore, forgetting: Bool, _ found: ([Digest]) -> Void
    ) async throws(StoreError) {
        var (picture, rendition): (Int64, Int64) = (0, 0)
        while true {
            let rows = try await thumbnails(after: picture, rendition)
            guard let last = rows.last else { break }
            let missing = try await blobs.missing(among: Set(rows.map(\.digest)))
            if forgetting, !missing.isEmpty { try await forget(thumbnails: missing) }
            found(missing)
            (picture, rendition) = (last.picture, last.rendition)
        }
        // Those that only missing thumbnails were made of are among these now.
        picture = 0
        while true {
            let rows = try await originalsWithoutThumbnails(after: picture)
            guard let last = rows.last else { return }
            let missing = try await blobs.missing(among: Set(rows.map(\.digest)))
            if forgetting, !missing.isEmpty { try await forget(originals: missing) }
            found(missing)
            picture = last.id
        }
    }

    private func originalsWithoutThumbnails(
        after place: Int64
    ) async throws(StoreError) -> [(id: Int64, digest: Digest)] {
        // Contact sheets have no original, and files are where they were.
        let sql = """
            SELECT id, digest FROM pictures WHERE id > ? AND (
                EXISTS (SELECT 1 FROM originals WHERE picture = pictures.id)
                OR EXISTS (SELECT 1 FROM resolutions WHERE picture = pictures.id))
                AND NOT EXISTS (
                    SELECT 1 FROM originals WHERE picture = pictures.id AND url GLOB 'file:*')
                AND NOT EXISTS (SELECT 1 FROM thumbnails WHERE picture = pictures.id)
            ORDER BY id LIMIT ?
            """
        return try await read { database in
            try IndexRows.select(database, sql, [place, Self.batch]) {
                (id: try $0.next() as Int64, digest: try $0.nextDigest())
            }
        }
    }

    private func thumbnails(
        after picture: Int64, _ rendition: Int64
    ) async throws(StoreError) -> [(picture: Int64, rendition: Int64, digest: Digest)] {
        try await read { database in
            try IndexRows.select(
                database,
                """
                SELECT picture, rendition, digest FROM thumbnails
                WHERE (picture, rendition) > (?, ?) ORDER BY picture, rendition LIMIT ?
                """, [picture, rendition, Self.batch]
            ) { (try $0.next() as Int64, try $0.next() as Int64, try $0.nextDigest()) }
        }
    }

    /// Returns the sum of the bytes of an item's thumbnails.
    func thumbnailBytes(ofItem item: String) async throws(StoreError) -> Int {
        try await read { try IndexRows.thumbnailBytes($0, item: item) }
    }

    /// Removes the row of a URL if its original has that digest. The blob and what else refers to it
    /// stay.
    package func withdraw(_ digest: Digest, of url: String) async throws(StoreError) {
        if let unsaved, !unsaved.isEmpty {
            await threads.run { unsaved.change { $0.withdraw(digest, of: url) } }
        }
        do throws(StoreError) {
            try await write { try IndexRows.withdraw($0, digest, of: url) }
        } catch {
            // A row that the disk keeps is overruled by the failure that is stored next.
            guard unsaved != nil, error != .stopped else { throw error }
        }
    }
}

extension IndexRows {
    fileprivate static func forget(_ database: Database, original digest: Digest) throws {
        guard let picture = try knownPicture(database, digest),
            try number(
                database,
                "SELECT EXISTS (SELECT 1 FROM thumbnails WHERE picture = ?)", [picture]) == 0
        else { return }
        try execute(database, "DELETE FROM resolutions WHERE picture = ?", [picture])
        try execute(database, "UPDATE pictures SET thumbHash = NULL WHERE id = ?", [picture])
        try execute(
            database, "DELETE FROM originals WHERE picture = ? AND failureKind IS NULL",
            [picture])
        // Removes the validators too, because a 304 without the stored bytes is useless.
        try execute(
            database,
            """
            UPDATE originals SET picture = NULL, byteCount = 0, width = 0, height = 0, format = '',
                entityTag = NULL, lastModified = NULL, freshUntil = fetchedAt
            WHERE picture = ?
            """,
            [picture])
    }

    fileprivate static func thumbnailBytes(_ database: Database, item: String) throws -> Int {
        // A level of an item can have thumbnails in several formats.
        let sql = """
            SELECT coalesce(sum(byteCount), 0) FROM thumbnails WHERE picture IN (
                SELECT resolutions.picture FROM items
                CROSS JOIN resolutions ON resolutions.item = items.id WHERE items.name = ?)
            """
        return Int(clamping: try number(database, sql, [item]) ?? 0)
    }
}
