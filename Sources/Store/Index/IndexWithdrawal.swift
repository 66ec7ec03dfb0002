import GRDB
package import Hashing
import Threads

extension Index {
    /// Removes the row of a URL if its original has that digest. The blob and what else refers to it
    /// stay.
    package func withdraw(_ digest: Digest, of url: String) async throws(StoreError) {
        if let unsaved, !unsaved.isEmpty {
            try await threads.run { [layout] () throws(StoreError) in
                do {
                    try unsaved.write { try IndexRows.withdraw($0, digest, of: url) }
                } catch {
                    throw StoreError(index: error, layout)
                }
            }
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
