import GRDB
package import Hashing
import Threads

extension Index {
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
    fileprivate static func withdraw(
        _ database: Database, _ digest: Digest, of url: String
    ) throws {
        try execute(
            database,
            """
            DELETE FROM originals WHERE urlHash = ?1 AND url = ?2 AND picture = (
                SELECT id FROM pictures WHERE \(IndexKeys.digest("pictures", is: "?3")))
            """, [OriginalRecord.hash(ofURL: url), url, digest.data])
    }
}
