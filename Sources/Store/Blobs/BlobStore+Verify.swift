package import Hashing
import Threads

extension BlobStore {
    /// The result of reading all blobs.
    package struct Verification: Sendable, Equatable {
        package var blobs = 0
        package var bytes = 0
        package var corrupt: [Digest] = []
        /// Misplaced files, as paths relative to the root.
        package var strays: [String] = []
        /// Why files and directories could not be looked at.
        package var unreadable: [StoreError] = []
    }

    /// The number of files on disk.
    package struct Statistics: Sendable, Equatable {
        package var blobs = 0
        package var bytes = 0
        package var staging = 0
        package var quarantined = 0
    }

    /// Half of the store's threads, so that hits are served meanwhile.
    private var sweepWidth: Int { max(1, threads.count / 2) }

    /// Reads every blob and lists those that don't match their name and files that aren't blobs.
    /// With `repair` both are quarantined. Staging files of dead processes count as strays and are
    /// removed.
    ///
    /// `progress` is called on the caller's task after each directory.
    package func verify(
        repair: Bool, progress: @Sendable (_ done: Int) -> Void
    ) async throws(StoreError) -> BlobStore.Verification {
        let sweep = Sweep(
            blobs: self, tasks: repair ? [.compare, .strays, .repair] : [.compare, .strays])
        let found = try await sweep.all(width: sweepWidth) { progress($1.blobs) }
        let layout = files.layout
        let left = try await threads.run { () throws(StoreError) in
            try StagingFile.strays(in: layout, removing: repair)
        }
        var report = BlobStore.Verification()
        report.blobs = found.blobs
        report.bytes = found.bytes
        report.corrupt = found.corrupt.sorted()
        report.unreadable = found.unreadable
        report.strays = (found.strays + left).map(layout.relative).sorted()
        return report
    }

    /// Counts the files on disk. It reads every directory entry and no blob.
    package func statistics() async throws(StoreError) -> BlobStore.Statistics {
        let found = try await Sweep(blobs: self, tasks: []).all(width: sweepWidth)
        var statistics = BlobStore.Statistics()
        statistics.blobs = found.blobs
        statistics.bytes = found.bytes
        (statistics.staging, statistics.quarantined) = try await threads.run {
            [files] () throws(StoreError) in
            let staging = try files.layout.names(in: files.layout.staging).count
            return (staging, try files.quarantine.count())
        }
        return statistics
    }
}
