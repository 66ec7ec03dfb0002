package import Hashing
import Threads

/// Looks through the directories of blobs and mends what it finds. The scrub, a garbage collection
/// and a verification are the same sweep with other tasks, at other speeds.
struct Sweep: Sendable {
    struct Tasks: OptionSet, Sendable {
        let rawValue: Int

        /// Reads each blob and compares it with its name.
        static let compare = Tasks(rawValue: 1)
        /// Lists files that are not blobs.
        static let strays = Tasks(rawValue: 2)
        /// Lists blobs that no row refers to.
        static let orphans = Tasks(rawValue: 4)
        /// Counts the bytes of each first-level directory again.
        static let count = Tasks(rawValue: 8)
        /// Moves what doesn't match and strays to the quarantine, and removes orphans.
        static let repair = Tasks(rawValue: 16)
    }

    struct Report: Sendable {
        /// Sound blobs, or all if they are not compared.
        var blobs = 0
        var bytes = 0
        var corrupt: [Digest] = []
        /// Full paths.
        var strays: [String] = []
        var orphans: [Digest] = []
        /// What the removed orphans took.
        var freed = DiskUsage()
        /// Files and directories that could not be looked at. They keep no others from it.
        var unreadable: [StoreError] = []

        static func += (left: inout Report, right: Report) {
            left.blobs += right.blobs
            left.bytes += right.bytes
            left.corrupt += right.corrupt
            left.strays += right.strays
            left.orphans += right.orphans
            left.freed += right.freed
            left.unreadable += right.unreadable
        }
    }

    /// Runs one step. Its failure is noted if it is of one file or directory, and ends the sweep otherwise.
    private func step(
        _ report: inout Report, _ body: (inout Report) async throws(StoreError) -> Void
    ) async throws(StoreError) {
        do throws(StoreError) {
            try await body(&report)
        } catch {
            guard error.isOfOneFile else { throw error }
            report.unreadable.append(error)
        }
    }

    /// What a blob counts besides its bytes, for opening it.
    private static let overhead = 4_096

    let blobs: BlobStore
    /// Needed to look for orphans.
    var orphans: Orphans?
    let tasks: Tasks
    /// Seconds that a blob may be without a row.
    var grace = Eviction.grace
    /// Bytes per second that are read; nil without a limit. A sweep with a limit ends early if its
    /// task is canceled.
    var rate: Int?

    private var walk: BlobWalk { BlobWalk(layout: blobs.files.layout) }
    private var isCanceled: Bool { rate != nil && Task.isCancelled }

    /// Sweeps everything, with the directories of `width` first-level ones at a time.
    ///
    /// - Parameter progress: gets the report so far after each first-level directory.
    func all(
        width: Int = 1, progress: (_ done: Int, Report) -> Void = { _, _ in }
    ) async throws(StoreError) -> Report {
        var report = Report()
        var done = 0
        let failure: StoreError? = await withTaskGroup(
            of: Result<Report, StoreError>.self
        ) { group in
            var fans = (0..<StoreLayout.fans.count)[...]
            func addNext() {
                guard let fan = fans.popFirst() else { return }
                group.addTask {
                    do throws(StoreError) {
                        return .success(try await self.fan(fan))
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
                    report += part
                    done += 1
                    progress(done, report)
                    if failure == nil { addNext() }
                case .failure(let error):
                    failure = failure ?? error
                }
            }
            return failure
        }
        if let failure { throw failure }
        guard tasks.contains(.strays) else { return report }
        try await step(&report) { (report) throws(StoreError) in
            report += try await strays { (walk) throws(StoreError) in try walk.strays() }
        }
        return report
    }

    /// Sweeps a first-level directory.
    ///
    /// - Parameter note: gets the report of each directory in it.
    @discardableResult
    func fan(
        _ fan: Int, note: (Report) -> Void = { _ in }
    ) async throws(StoreError) -> Report {
        let (walk, files) = (self.walk, blobs.files)
        var report = Report()
        var paths: [String] = []
        try await step(&report) { (report) throws(StoreError) in
            if tasks.contains(.strays) {
                report += try await strays { (walk) throws(StoreError) in
                    try walk.directories(inFan: fan).strays
                }
            }
            paths = try await blobs.threads.run { () throws(StoreError) in
                try walk.directories(inFan: fan).paths
            }
        }
        for path in paths where !isCanceled {
            var part = Report()
            try await step(&part) { (part) throws(StoreError) in try await directory(path, &part) }
            note(part)
            report += part
        }
        if tasks.contains(.count), !isCanceled {
            _ = try await blobs.threads.run { () throws(StoreError) in
                try files.space.count(fan: fan)
            }
        }
        return report
    }

    private func strays(
        _ list: @escaping @Sendable (BlobWalk) throws(StoreError) -> [String]
    ) async throws(StoreError) -> Report {
        let (walk, quarantine) = (self.walk, blobs.files.quarantine)
        let repairs = tasks.contains(.repair)
        var report = Report()
        report.strays = try await blobs.threads.run { () throws(StoreError) in
            let strays = try list(walk)
            if repairs { for path in strays { try quarantine.take(path, .misplaced) } }
            return strays
        }
        return report
    }

    /// Sweeps a second-level directory.
    private func directory(_ path: String, _ report: inout Report) async throws(StoreError) {
        let walk = self.walk
        let content = try await blobs.threads.run { () throws(StoreError) in
            try walk.content(of: path)
        }
        if tasks.contains(.strays), !content.strays.isEmpty {
            report += try await strays { (_) throws(StoreError) in content.strays }
        }
        if tasks.contains(.compare) {
            try await compare(content.blobs, &report)
        } else {
            report.blobs = content.blobs.count
            report.bytes = content.blobs.reduce(0) { $0 + $1.byteCount }
        }
        if let orphans, tasks.contains(.orphans), !isCanceled {
            let found = try await orphans.find(among: content.blobs, grace: grace)
            if tasks.contains(.repair) { report.freed = try await orphans.remove(found) }
            report.orphans = found
        }
    }

    private func compare(
        _ found: [BlobWalk.Found], _ report: inout Report
    ) async throws(StoreError) {
        var unpaid = 0
        for blob in found {
            if isCanceled { return }
            try await step(&report) { (report) throws(StoreError) in
                switch try await blobs.isSound(blob.digest, repairing: tasks.contains(.repair)) {
                case true?:
                    report.blobs += 1
                    report.bytes += blob.byteCount
                case false?: report.corrupt.append(blob.digest)
                case nil: break
                }
            }
            unpaid += blob.byteCount + Self.overhead
            // Large blobs must not make a burst.
            if let rate, unpaid >= rate { await pause(&unpaid, rate) }
        }
        if let rate, unpaid > 0 { await pause(&unpaid, rate) }
    }

    private func pause(_ bytes: inout Int, _ rate: Int) async {
        // A sweep that is canceled ends at its next step.
        try? await Task.sleep(for: .seconds(Double(bytes) / Double(rate)))
        bytes = 0
    }
}

extension Orphans {
    /// Returns all blobs that no row refers to, in order, except those that were written lately.
    package func all(removing: Bool) async throws(StoreError) -> [Digest] {
        let tasks: Sweep.Tasks = removing ? [.orphans, .repair] : [.orphans]
        return try await Sweep(blobs: blobs, orphans: self, tasks: tasks).all().orphans.sorted()
    }
}

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
                let count = try await known(digest)
                guard try await blobs.remove(digest), let count else { continue }
                removed += DiskUsage(bytes: blobs.files.space.rounded(count), files: 1)
            }
            try await forgetRows(of: orphans)
        }
        return removed
    }

    /// Returns the size of a blob; nil if it is missing, or can't be looked at.
    private func known(_ digest: Digest) async throws(StoreError) -> Int? {
        do throws(StoreError) {
            return try await blobs.byteCount(digest)
        } catch {
            guard error.isOfOneFile else { throw error }
            return nil
        }
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
        let now = blobs.now()
        let old = found.filter { $0.isRegular && now - $0.writtenAt >= grace }.map(\.digest)
        if old.isEmpty { return [] }
        let uses = try await index.uses(of: old)
        return old.filter { uses[$0] == nil }
    }
}
