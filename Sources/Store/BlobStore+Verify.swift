import Glibc

extension BlobStore {
    /// Reads every blob; what doesn't match its name is listed and, with `repair`, quarantined, as
    /// are files that aren't blobs. Staging files of dead processes count as strays, and are removed.
    ///
    /// Takes half of the store's threads, so that hits are served meanwhile. `progress` is called on
    /// the caller's task as directories are finished.
    package func verify(
        repair: Bool, progress: @Sendable (_ done: Int) -> Void
    ) async throws(StoreError) -> BlobVerification {
        var report = BlobVerification()
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

    /// Counts what lies on disk; reads no blob, but looks at every directory entry.
    package func statistics() async throws(StoreError) -> BlobStatistics {
        var statistics = BlobStatistics()
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

    /// Visits the directories of the first level on the store's threads, and hands over the results
    /// as they come.
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

/// What a walk over all blobs found.
package struct BlobVerification: Sendable, Equatable {
    package var blobs = 0
    package var bytes = 0
    package var corrupt: [Digest] = []
    /// Files that don't belong where they are, as paths relative to the root.
    package var strays: [String] = []

    package init() {}
}

/// What lies on disk.
package struct BlobStatistics: Sendable, Equatable {
    package var blobs = 0
    package var bytes = 0
    package var staging = 0
    package var quarantined = 0

    package init() {}
}
