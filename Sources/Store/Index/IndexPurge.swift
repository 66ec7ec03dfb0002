import FoundationEssentials
import GRDB
package import Hashing
import Threads

extension Index {
    /// Purges in small transactions, each complete in itself, and on a full disk, too. A hard purge
    /// removes originals with all their thumbnails, for every item that shows them, and every
    /// contact sheet. Rows that are stored meanwhile may stay.
    package func purge(_ order: PurgeRequest) async throws(StoreError) -> IndexPurge {
        if order.isEverything { SetAside(layout: layout).endSalvage() }
        // What waits goes first: a row that was there is gone then, or on the disk.
        var (purge, concerned) = await purgeWaiting(order, order.concerned)
        let found = try await read { [concerned] in
            try IndexRows.found($0, order, besides: concerned)
        }
        if !hasAllOnDisk {
            // A row in memory may refer to a picture that an item on disk shows.
            concerned = try await read { try IndexRows.concerned($0, found) }
            let more = await purgeWaiting(order, concerned).purge
            // Rows that expire have been counted.
            if order.expiry == nil { purge.add(more) }
        }
        for (kind, keys) in found.steps(removing: order.expiry == nil) {
            let parts = try await freeing(keys) {
                try IndexRows.purge($0, kind, $1, order.expiry)
            }
            for part in parts { purge.add(part) }
        }
        await takeReserve()
        // A row in memory may refer to a blob that no row on disk refers to, and the reverse.
        var orphans: [Digest] = []
        let waiting = await uses(of: Set(purge.orphans))
        for digest in Set(purge.orphans).sorted() where waiting[digest] == nil {
            if try await !names(digest) { orphans.append(digest) }
        }
        purge.orphans = orphans
        return purge
    }

    /// Returns the items that a purge would concern: those that it names, and those that show one of its
    /// pictures. Items that are not on disk yet are missing.
    package func concerned(by order: PurgeRequest) async throws(StoreError) -> Set<String> {
        try await read { database in
            let found = try IndexRows.found(database, order, besides: order.concerned)
            var items = found.items
            for picture in found.pictures {
                _ = try IndexRows.select(
                    database,
                    """
                    SELECT DISTINCT items.name
                    FROM resolutions CROSS JOIN items ON items.id = resolutions.item
                    WHERE resolutions.picture = ?
                    """, [picture]
                ) { items.insert(try $0.next()) }
            }
            return items
        }
    }

    /// Returns the originals of the thumbnails with these bytes.
    package func originals(ofThumbnail digest: Digest) async throws(StoreError) -> [Digest] {
        try await read { database in
            try IndexRows.select(
                database,
                """
                SELECT DISTINCT pictures.digest
                FROM thumbnails CROSS JOIN pictures ON pictures.id = thumbnails.picture
                WHERE \(IndexRows.digestMatches("thumbnails", "?1"))
                    AND pictures.source <> '\(IndexRows.sheets)'
                """, [digest.data]
            ) { try $0.nextDigest() }
        }
    }

    /// Purges the rows in memory. Returns what they concern, too.
    private func purgeWaiting(
        _ order: PurgeRequest, _ concerned: PurgeFind.Concerned
    ) async -> (purge: IndexPurge, concerned: PurgeFind.Concerned) {
        guard let unsaved, !unsaved.isEmpty else { return (IndexPurge(), concerned) }
        return await threads.run {
            var concerned = concerned
            let purge = unsaved.change { $0.purge(order, &concerned) }
            return (purge, concerned)
        }
    }
}

extension PurgeRequest {
    /// Whether it removes all that an index has.
    fileprivate var isEverything: Bool {
        expiry == nil && items == .all
    }
}
