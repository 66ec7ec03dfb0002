package import Hashing
import Threads

/// Blobs that no row refers to.
package struct Orphans: Sendable {
    let blobs: BlobStore
    let index: Index
    /// Blobs that are removed between two looks at the index.
    private static let batch = 128

    /// Removes blobs that no row refers to. Returns what they took.
    ///
    /// A process that stores the same bytes meanwhile finds the blob, and writes only the row. Therefore
    /// the index is read before and after: a blob that has a row again stays, and a row whose blob went
    /// goes.
    package func remove(_ digests: [Digest]) async throws(StoreError) -> DiskUsage {
        var removed = DiskUsage()
        for first in stride(from: 0, to: digests.count, by: Self.batch) {
            let batch = digests[first..<min(digests.count, first + Self.batch)]
            let uses = try await index.uses(of: Array(batch))
            let orphans = batch.filter { uses[$0] == nil }
            for digest in orphans {
                if let count = try await blobs.byteCount(digest) {
                    removed += DiskUsage(bytes: blobs.files.space.rounded(count), files: 1)
                }
                try await blobs.remove(digest)
            }
            try await forgetRows(of: orphans)
        }
        return removed
    }

    /// Removes the rows of blobs that were removed, unless they were stored again.
    func forgetRows(of removed: [Digest]) async throws(StoreError) {
        do throws(StoreError) {
            let uses = try await index.uses(of: removed)
            let missing = try await blobs.missing(among: Set(uses.keys))
            try await index.forget(
                thumbnails: missing.filter { uses[$0]?.thumbnailOf.isEmpty == false })
            try await index.forget(originals: missing.filter { uses[$0]?.isOriginal == true })
        } catch {
            // The next request notices a row without a blob.
            if error == .stopped { throw error }
        }
    }

    /// Returns the blobs among these that no row refers to, except those that were written lately.
    func find(
        among found: [BlobWalk.Found], grace: Int
    ) async throws(StoreError) -> [Digest] {
        if try await blobs.isIndexNew() { return [] }
        let now = blobs.time()
        let old = found.filter { $0.isRegular && now - $0.writtenAt >= grace }.map(\.digest)
        if old.isEmpty { return [] }
        let uses = try await index.uses(of: old)
        return old.filter { uses[$0] == nil }
    }
}
