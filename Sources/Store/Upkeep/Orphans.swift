/// Blobs that no row refers to.
package struct Orphans: Sendable {
    let blobs: BlobStore
    let index: Index

    /// Removes the blobs among these that no row refers to.
    func remove(
        among found: [BlobSample.Found], grace: Int = Eviction.grace
    ) async throws(StoreError) -> DiskUsage {
        var removed = DiskUsage()
        for blob in try await find(among: found, grace: grace) {
            try await blobs.remove(blob.digest)
            removed += DiskUsage(bytes: blobs.files.space.rounded(blob.byteCount), files: 1)
        }
        return removed
    }

    private func find(
        among found: [BlobSample.Found], grace: Int
    ) async throws(StoreError) -> [BlobSample.Found] {
        // The index may be empty because it was just replaced, and its rows are being copied.
        let now = blobs.time()
        let isNewIndex = try await blobs.threads.run {
            [layout = blobs.files.layout] () throws(StoreError) in
            try SetAside(layout: layout).isRecentForIndex(at: now)
        }
        if isNewIndex { return [] }
        let old = found.filter { now - $0.writtenAt >= grace }
        if old.isEmpty { return [] }
        let uses = try await index.uses(of: old.map(\.digest))
        return old.filter { uses[$0.digest] == nil }
    }

    /// Returns all blobs that no row refers to, in order, except those that were written lately.
    package func all(removing: Bool) async throws(StoreError) -> [Digest] {
        var orphans: [Digest] = []
        let layout = blobs.files.layout
        for fan in 0..<256 {
            let found = try await blobs.threads.run { () throws(StoreError) in
                let sample = BlobSample(layout, start: 0)
                var found: [BlobSample.Found] = []
                for path in try layout.directories(inFan: fan) { found += try sample.blobs(path) }
                return found
            }
            for blob in try await find(among: found, grace: Eviction.grace) {
                orphans.append(blob.digest)
                if removing { try await blobs.remove(blob.digest) }
            }
        }
        return orphans.sorted()
    }
}
