import FoundationEssentials
import Glibc
import Hashing
import Threads

/// What a garbage collection removed. The JSON has these names.
package struct GarbageReceipt: Sendable, Equatable, Codable {
    /// Blobs that no row referred to.
    package var orphans = 0
    /// Rows of thumbnails whose blob was gone, and rows that expired long ago.
    package var rows = 0
    /// Files of dead processes, and files from the quarantine.
    package var leftovers = 0
    /// Blobs that were evicted besides.
    package var evicted = 0
    /// Bytes on disk that are free now, without those of the index.
    package var bytes = 0
    /// Why files and directories could not be looked at or removed; empty if all could.
    package var unreadable: [String] = []
}

extension Upkeep {
    /// Removes everything that no request can use, and counts the cache. Works on a full disk.
    ///
    /// Blobs that were written lately stay: a running process may be about to name them.
    ///
    /// - Parameter grace: seconds that a blob may be without a row.
    package func collectGarbage(
        grace: Int = Eviction.grace, progress: @Sendable (_ done: Int) -> Void = { _ in }
    ) async throws(StoreError) -> GarbageReceipt {
        var receipt = GarbageReceipt()
        let files = blobs.files
        let sweep = Sweep(
            blobs: blobs, orphans: orphans, tasks: [.orphans, .count, .repair], grace: grace)
        let swept = try await sweep.all { done, _ in progress(done) }
        receipt.orphans = swept.freed.files
        receipt.bytes = swept.freed.bytes
        receipt.unreadable = Set(swept.unreadable.map(\.description)).sorted()
        let before = files.space.ledger.counts.usage(of: .quarantine)?.bytes ?? 0
        receipt.leftovers = try await blobs.threads.run { () throws(StoreError) in
            let quarantined = try files.quarantine.count()
            try files.quarantine.trim(capacity: 0)
            let left = try files.quarantine.count()
            return try quarantined - left
                + StagingFile.strays(in: files.layout, removing: true).count
        }
        receipt.bytes += before
        let earlier = try await removeEarlier()
        receipt.leftovers += earlier.files
        receipt.bytes += earlier.bytes
        // Last, because they need space before they give any.
        do throws(StoreError) {
            try await index.lookForMissing(blobs, forgetting: true) { receipt.rows += $0.count }
            receipt.rows += try await removeOldRows()
        } catch {
            guard case .diskFull = error else { throw error }
        }
        try await measure()
        return receipt
    }

    /// Removes what earlier layouts left, once the user data has moved. Returns what was freed.
    private func removeEarlier() async throws(StoreError) -> DiskUsage {
        let files = blobs.files
        return try await blobs.threads.run { () throws(StoreError) in
            var freed = DiskUsage()
            guard access(files.layout.userData, F_OK) == 0 else { return freed }
            for earlier in files.layout.earlier {
                freed += try files.layout.trying("remove", earlier.path) { () throws(Errno) in
                    try earlier.remove(on: FileSystemSpace(of: files.layout.root))
                }
            }
            files.space.forgetSpace()
            return freed
        }
    }

    /// Removes rows that expired long ago, and what no row refers to then. Returns their number.
    private func removeOldRows() async throws(StoreError) -> Int {
        var removed = 0
        var aging = IndexAging()
        repeat {
            aging = try await index.age(before: oldest, after: aging)
            removed += aging.removed
        } while !aging.isDone
        var place: Int64?
        repeat {
            place = try await index.sweep(after: place)
        } while place != nil
        return removed
    }

    /// Rows that expired before this date are removed.
    var oldest: Date {
        Date(timeIntervalSince1970: max(0, Double(blobs.now()) - forgetAfter / .seconds(1)))
    }

    /// Removes every blob that can be removed, for a purge of everything, and what earlier layouts left. Blobs
    /// that are stored meanwhile may go, too, with their rows.
    package func removeAllBlobs() async throws(StoreError) -> DiskUsage {
        var removed = try await removeEarlier()
        let sample = BlobSample(blobs.files.layout, start: 0)
        // What stays would be found without end.
        var kept: Set<Digest> = []
        while true {
            let count = kept.count + 1_024
            let found = try await blobs.threads.run { () throws(StoreError) in
                try sample.take(count)
            }.filter { !kept.contains($0.digest) }
            if found.isEmpty { return removed }
            for blob in found {
                guard try await blobs.remove(blob.digest) else {
                    kept.insert(blob.digest)
                    continue
                }
                removed += DiskUsage(bytes: blobs.files.space.rounded(blob.byteCount), files: 1)
            }
            try await orphans.forgetRows(of: found.map(\.digest))
        }
    }
}
