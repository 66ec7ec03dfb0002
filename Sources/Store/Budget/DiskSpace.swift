import Glibc
import Synchronization

/// Admits writes as long as the cache is within its limits. Calls block for a few microseconds. Any
/// thread.
final class DiskSpace: Sendable {
    /// Free space is read again, and files other than blobs are measured, after this many written
    /// bytes, or this much time.
    private static let maxWritten = 1 << 20
    private static let maxAge = Duration.milliseconds(100)
    /// How often a directory is counted again because it changed meanwhile.
    private static let maxAttempts = 3
    /// About as many files are counted at a time in directories without a count: all of a small
    /// cache, a part of a large one.
    private static let countedAtATime = 8_192

    private struct Known {
        var disk: FileSystemSpace?
        var readAt: ContinuousClock.Instant?
        var written = 0
    }

    let limits: DiskLimits
    let ledger: Ledger
    private let layout: StoreLayout
    private let known = Mutex(Known())

    init(_ layout: StoreLayout, _ limits: DiskLimits) {
        self.layout = layout
        self.limits = limits
        let names = Errno.optional { () throws(Errno) in try directoryNames(layout.blobs) }
        ledger = Ledger(layout, isNew: names?.isEmpty ?? false)
    }

    /// A blob, or directories made for one.
    struct Addition {
        var place: CountedPlace
        /// The size of the blob; nil if there is none.
        var blob: Int?
        var directories = 0

        /// - Parameter disk: nil if nothing is known of the file system.
        fileprivate func usage(on disk: FileSystemSpace?) -> DiskUsage {
            DiskUsage(
                bytes: (blob.map { disk?.rounded($0) ?? $0 } ?? 0)
                    + directories * (disk?.block ?? 0),
                files: (blob == nil ? 0 : 1) + directories)
        }
    }

    /// Adds blobs to the ledger before they are written: all, or none.
    ///
    /// - Throws: ``StoreError/overBudget(path:needed:)`` with what has to be freed first;
    ///   ``StoreError/held(path:)``.
    func admit(_ additions: [Addition]) throws(StoreError) {
        guard let disk = space(writing: additions.reduce(0) { $0 + ($1.blob ?? 0) }) else {
            // Nothing is known of the file system. Writing to it says what is wrong.
            ledger.add(additions.map { ($0.place, $0.usage(on: nil)) })
            return
        }
        assert(
            additions.allSatisfy { $0.blob ?? 0 >= 0 && $0.directories >= 0 },
            "a blob has fewer than no bytes")
        let usages = additions.map { (place: $0.place, usage: $0.usage(on: disk)) }
        var sum = DiskUsage()
        for (_, usage) in usages { sum += usage }
        let (before, isAdded) = ledger.add(usages) { [limits] usage in
            limits == .none || limits.resolved(on: disk, usage: usage).admits(sum, to: usage)
        }
        if isAdded { return }
        if ledger.isHeld { throw .held(path: layout.shared) }
        forgetSpace()
        let need = limits.resolved(on: disk, usage: before).need(sum, of: before)
        throw .overBudget(path: layout.root, needed: need)
    }

    /// Takes out blobs whose files are gone, or were not written, and directories that were not made.
    func release(_ additions: [Addition]) {
        if additions.isEmpty { return }
        let disk = space(writing: 0)
        ledger.add(
            additions.map { ($0.place, -$0.usage(on: disk)) })
    }

    /// Adds a directory that was created, or takes out one that was removed.
    func note(directories count: Int, in place: CountedPlace) {
        guard let disk = space(writing: 0) else { return }
        ledger.add(DiskUsage(bytes: count * disk.block, files: count), to: place)
    }

    /// Returns the bytes that a file of this size takes.
    func rounded(_ byteCount: Int) -> Int { space(writing: 0)?.rounded(byteCount) ?? byteCount }

    /// The limits in force, and what is used; nil if the file system can't be asked.
    var state: (limits: ResolvedLimits, usage: DiskUsage, disk: FileSystemSpace)? {
        guard let disk = space(writing: 0) else { return nil }
        let usage = ledger.counts.total
        return (limits.resolved(on: disk, usage: usage), usage, disk)
    }

    /// Makes the next call read the free space.
    func forgetSpace() { known.withLock { $0.readAt = nil } }

    /// Reads the free space and measures everything but blobs, without waiting for the next time.
    func measure() {
        forgetSpace()
        _ = space(writing: 0)
    }

    /// Counts directories that are not counted, and those whose counts are from before the machine was
    /// started: at least one, and more while they are small.
    func countSome() throws(StoreError) {
        guard let disk = space(writing: 0) else { return }
        try countSome(of: ledger.counts.uncountedFans + ledger.unconfirmed, on: disk)
    }

    private func countSome(of fans: [Int], on disk: FileSystemSpace) throws(StoreError) {
        var files = 0
        for fan in fans where files < Self.countedAtATime {
            guard try count(fan: fan, on: disk) else { continue }
            files += ledger.counts.usage(of: .fan(fan))?.files ?? 0
        }
    }

    /// Replaces the count of a first-level directory with what is found there. Returns false, and
    /// leaves it as it is, if it changes all the time.
    @discardableResult
    func count(fan: Int, on disk: FileSystemSpace? = nil) throws(StoreError) -> Bool {
        guard let disk = disk ?? space(writing: 0) else { return false }
        let place = CountedPlace.fan(fan)
        let directory = layout.blobs + "/" + StoreLayout.fans[fan]
        for _ in 0..<Self.maxAttempts {
            // In this order: changes that begin later have another version.
            let version = ledger.counts.version(of: place)
            guard ledger.hasNoChange(in: fan) else { continue }
            let found = try layout.trying("count", directory) { () throws(Errno) in
                try disk.usage(of: directory, depth: 2)
            }
            if ledger.set(place, to: found, since: version) { return true }
        }
        return false
    }

    /// Measures everything but blobs and what is in quarantine.
    private func measureUpkeep(_ disk: FileSystemSpace) {
        let usage = Errno.optional { () throws(Errno) in
            var sum = DiskUsage(bytes: disk.block, files: 1)
            for name in try directoryNames(layout.tree) {
                // What these two hold is counted as it changes.
                let depth = name == "blobs" || name == "quarantine" ? 0 : 1
                sum += try disk.usage(of: layout.tree + "/" + name, depth: depth)
            }
            if access(layout.lists, F_OK) == 0 { sum += try disk.usage(of: layout.lists, depth: 1) }
            return sum
        }
        if let usage { ledger.set(.upkeep, to: usage) }
    }

    private func space(writing byteCount: Int) -> FileSystemSpace? {
        known.withLock { known in
            known.written += byteCount
            let now = ContinuousClock.now
            if let readAt = known.readAt, readAt.duration(to: now) < Self.maxAge,
                known.written <= Self.maxWritten
            {
                return known.disk
            }
            if let disk = Errno.optional({ () throws(Errno) in
                try FileSystemSpace(of: layout.tree)
            }) {
                known.disk = disk
                measureUpkeep(disk)
                // So that the writers of a cache whose ledger is new or damaged are limited soon even
                // without upkeep. What fails is counted next time.
                if limits != .none {
                    try? countSome(of: ledger.counts.uncountedFans, on: disk)
                }
            }
            known.readAt = now
            known.written = byteCount
            return known.disk
        }
    }
}
