import Glibc

extension BlobStore {
    /// The result of reading all blobs.
    package struct Verification: Sendable, Equatable {
        package var blobs = 0
        package var bytes = 0
        package var corrupt: [Digest] = []
        /// Misplaced files, as paths relative to the root.
        package var strays: [String] = []

        package init() {}
    }

    /// The number of files on disk.
    package struct Statistics: Sendable, Equatable {
        package var blobs = 0
        package var bytes = 0
        package var staging = 0
        package var quarantined = 0

        package init() {}
    }

    /// Reads every blob and lists those that don't match their name and files that aren't blobs.
    /// With `repair` both are quarantined. Staging files of dead processes count as strays and are
    /// removed.
    ///
    /// Uses half of the store's threads, so that hits are served meanwhile. `progress` is called on
    /// the caller's task after each directory.
    package func verify(
        repair: Bool, progress: @Sendable (_ done: Int) -> Void
    ) async throws(StoreError) -> BlobStore.Verification {
        var report = BlobStore.Verification()
        try await walk({ (walk, fan) throws(StoreError) in
            try walk.verify(fan, repair: repair)
        }) { part in
            report.blobs += part.blobs
            report.bytes += part.bytes
            report.corrupt += part.corrupt
            report.strays += part.strays
            if part.blobs > 0 { progress(report.blobs) }
        }
        let layout = files.layout
        report.strays += try await threads.run { [files] () throws(StoreError) in
            let misplaced = try BlobWalk(files: files).verifyTop(repair: repair)
            return try misplaced + StagingSweep(layout: layout).strays(removing: repair)
        }
        report.strays = report.strays.map(layout.relative).sorted()
        report.corrupt.sort()
        return report
    }

    /// Counts the files on disk. It reads every directory entry and no blob.
    package func statistics() async throws(StoreError) -> BlobStore.Statistics {
        var statistics = BlobStore.Statistics()
        try await walk({ (walk, fan) throws(StoreError) in try walk.count(fan) }) { part in
            statistics.blobs += part.blobs
            statistics.bytes += part.bytes
        }
        let (staging, quarantined) = try await threads.run { [files] () throws(StoreError) in
            let staging = files.layout.staging
            let names = try files.layout.trying("list", staging) { () throws(Errno) in
                try directoryNames(staging)
            }
            return (names.count, try files.quarantine.count())
        }
        statistics.staging = staging
        statistics.quarantined = quarantined
        return statistics
    }

    /// Visits the first-level directories on the store's threads and passes the results to
    /// `collect` as they come.
    private func walk<Part: Sendable>(
        _ visit: @escaping @Sendable (BlobWalk, String) throws(StoreError) -> Part,
        _ collect: (Part) -> Void
    ) async throws(StoreError) {
        let width = max(1, threads.count / 2)
        let walk = BlobWalk(files: files)
        let failure: StoreError? = await withTaskGroup(
            of: Result<Part, StoreError>.self
        ) { group in
            var fans = StoreLayout.fans[...]
            func addNext() {
                guard let fan = fans.popFirst() else { return }
                group.addTask { [threads] in
                    do throws(StoreError) {
                        return .success(
                            try await threads.run { () throws(StoreError) in
                                try visit(walk, fan)
                            })
                    } catch {
                        return .failure(error)
                    }
                }
            }
            for _ in 0..<width { addNext() }
            var failure: StoreError?
            for await result in group {
                switch result {
                case .success(let part):
                    collect(part)
                    if failure == nil { addNext() }
                case .failure(let error):
                    failure = failure ?? error
                }
            }
            return failure
        }
        if let failure { throw failure }
    }
}
