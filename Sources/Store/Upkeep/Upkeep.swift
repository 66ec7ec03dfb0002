package import Hashing
import Synchronization
import Threads

/// Keeps the cache within its limits and free of garbage, in the background. Any thread.
///
/// Blobs are evicted in small steps before the limits are reached, and by a put that finds no room.
/// Several processes can do so at once.
package final class Upkeep: Sendable {
    /// Attempts to count without a success.
    private static let maxFruitless = 16
    private static let recountPause = Duration.seconds(60)
    /// Ticks between two exchanges of uses, and two looks at the pins.
    private static let exchangeEvery = 60

    /// Requests that this process has answered.
    private struct Served {
        var sources: [@Sendable () -> ServedCounts] = []
        /// Those in the file.
        var written = ServedCounts()

        var now: ServedCounts { sources.reduce(ServedCounts()) { $0 + $1() } }
    }

    let blobs: BlobStore
    let index: Index
    package let pins: PinnedItems
    let evictor: Evictor
    /// How long rows stay after they expired.
    let forgetAfter: Duration
    private let aging = Mutex(IndexAging())
    private let sweeping = Mutex<Int64?>(nil)
    private let userData: UserData
    private let inMemory: @Sendable () -> [Digest]
    private let served = Mutex(Served())
    private let task = BackgroundTask()
    private let ticks = Counter()
    private let isCrowded = Mutex(false)
    private let recountedAt = Mutex<ContinuousClock.Instant?>(nil)
    package let orphans: Orphans
    let scrub: Scrub

    /// - Parameters:
    ///   - forgetAfter: a week, so that an item that is shown once a week keeps its chain and its failures.
    ///   - inMemory: returns the blobs that are served from memory, which count as used.
    ///   - keptName: returns the name under which the thumbnails of a pinned item are kept.
    package init(
        blobs: BlobStore, index: Index, userData: UserData,
        forgetAfter: Duration = .seconds(7 * 86_400),
        inMemory: @escaping @Sendable () -> [Digest] = { [] },
        keptName: @escaping @Sendable (String) async -> String = { $0 }
    ) {
        self.blobs = blobs
        self.index = index
        self.userData = userData
        self.forgetAfter = forgetAfter
        self.inMemory = inMemory
        let orphans = Orphans(blobs: blobs, index: index)
        self.orphans = orphans
        scrub = Scrub(blobs, orphans)
        let pins = PinnedItems(userData, keptName)
        self.pins = pins
        let evictor = Evictor(blobs, index, pins)
        self.evictor = evictor
        // Weak, because the evictor has the blobs.
        blobs.onLimit { [weak self] need in
            do throws(StoreError) {
                // An estimate from a few directories must not empty the cache.
                if try await self?.countIfNeeded() == true { return true }
                if let freed = try await self?.evictor.free(need), freed.files > 0 { return true }
                return try await self?.recount() ?? false
            } catch {
                return false
            }
        }
    }

    /// Adds a count of requests since the start of the process. It may be read on any thread.
    package func countRequests(_ served: @escaping @Sendable () -> ServedCounts) {
        self.served.withLock { $0.sources.append(served) }
    }

    /// Starts the work in the background: every second, and the scrub at a rate in bytes per second.
    ///
    /// - Parameter scrubRate: 0 starts no scrub.
    package func start(scrubRate: Int, pause: Duration = .seconds(1)) {
        task.start { [weak self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled, let self {
                        await self.tick()
                        guard (try? await Task.sleep(for: pause)) != nil else { return }
                    }
                }
                if scrubRate > 0, let scrub = self?.scrub {
                    group.addTask { await scrub.run(rate: scrubRate) }
                }
            }
        }
    }

    /// Ends the work in the background and writes uses and requests.
    package func stop() async {
        await task.stop()
        await ignoring { [self] () async throws(StoreError) in try await exchangeUses() }
    }

    /// One round of the work in the background. Failures are repeated with the next round; the store
    /// reports those of the disk.
    func tick() async {
        ticks.add()
        await index.openAnewIfRemoved()
        await userData.openAnewIfRemoved()
        await ignoring { [self] () async throws(StoreError) in
            await reportDamage()
            try await measure()
            reportCrowding()
            guard blobs.files.space.ledger.counts.uncounted.isEmpty else { return }
            if let excess = blobs.files.space.state.flatMap({ $0.limits.excess(of: $0.usage) }) {
                _ = try await evictor.free(excess)
            }
        }
        guard ticks.value % Self.exchangeEvery == 1 else { return }
        await ignoring { [self] () async throws(StoreError) in try await refreshPins() }
        await ignoring { [self] () async throws(StoreError) in try await exchangeUses() }
        await ignoring { [self] () async throws(StoreError) in try await removeSomeOldRows() }
    }

    /// Reports damaged counts before they are counted again.
    private func reportDamage() async {
        let files = blobs.files
        guard await blobs.threads.run({ files.space.ledger.takeDamage() }) else { return }
        blobs.unsaved.reporter.note(.damaged(path: files.layout.shared))
    }

    /// Reports once that the cache has to shrink, and once that it need not any more.
    private func reportCrowding() {
        guard let limits = blobs.files.space.state?.limits else { return }
        let isNew = isCrowded.withLock { known in
            defer { known = limits.isCrowded }
            return known != limits.isCrowded
        }
        if !isNew { return }
        blobs.unsaved.reporter.note(limits.isCrowded ? .crowded(bytes: limits.bytes) : .roomy)
    }

    /// One step of what ``collectGarbage(grace:progress:)`` does at once.
    private func removeSomeOldRows() async throws(StoreError) {
        let last = aging.withLock { $0 }
        let next = try await index.age(before: oldest, after: last)
        aging.withLock { $0 = next }
        let place = sweeping.withLock { $0 }
        let following = try await index.sweep(after: place)
        sweeping.withLock { $0 = following }
    }

    private func ignoring(_ work: () async throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await work()
        } catch {
            // Repeated with the next round.
        }
    }

    /// Returns whether the thumbnails of one more item fit into the part of the budget for pins, and
    /// protects them.
    package func protect(_ item: String) async throws(StoreError) -> Bool {
        let bytes = try await index.thumbnailBytes(ofItem: item)
        return pins.add(item, bytes: bytes, limit: pinLimit)
    }

    /// Reads the pins of all processes again.
    ///
    /// - Parameter limit: bytes that they may take; nil for those of the settings.
    package func refreshPins(limit: Int? = nil) async throws(StoreError) {
        try await pins.refresh(index, limit: limit ?? pinLimit)
    }

    /// Returns the pinned items whose thumbnails stayed behind when their pins were copied from an earlier
    /// version; none once `cache gc` has removed what that left.
    package func pinsLeftBehind() async throws(StoreError) -> [String] {
        let earlier = blobs.files.layout.earlier
        guard await blobs.threads.run({ earlier.isThere }) else { return [] }
        try await refreshPins()
        return pins.lacking
    }

    /// Bytes that pinned thumbnails may take.
    package var pinLimit: Int {
        let space = blobs.files.space
        guard let state = space.state else { return .max }
        return Int(Double(state.limits.admitted) * space.limits.maxPinned)
    }

    private func exchangeUses() async throws(StoreError) {
        let now = blobs.now()
        for digest in inMemory() { blobs.uses.touch(digest, at: now) }
        let counts = served.withLock { served in
            let now = served.now
            defer { served.written = now }
            return ServedCounts(
                hits: now.hits - served.written.hits, misses: now.misses - served.written.misses)
        }
        try await blobs.threads.run { [blobs] () throws(StoreError) in
            SharedPage(blobs.files.layout).add(counts)
            try blobs.uses.exchange(at: now)
        }
    }

    /// The requests that all processes have answered, those of the last minute not included.
    package func servedCounts() async -> ServedCounts {
        await blobs.threads.run { [layout = blobs.files.layout] in SharedPage(layout).servedCounts }
    }

    /// Measures files other than blobs, and counts some directories that are not counted yet, or not since
    /// the machine was started. Writes the ledger to the disk.
    func measure() async throws(StoreError) {
        try await blobs.threads.run { [files = blobs.files] () throws(StoreError) in
            files.space.measure()
            if files.space.ledger.counts.usage(of: .quarantine) == nil {
                do throws(StoreError) {
                    try files.quarantine.trim()
                } catch {
                    guard error.isOfOneFile else { throw error }
                    // What can't be looked at counts as nothing.
                    files.space.ledger.set(.quarantine, to: DiskUsage())
                }
            }
            try files.space.countSome()
            files.space.ledger.synchronize()
        }
    }

    /// Removes blobs until the cache is below its limits. Returns what was freed.
    package func evictToBudget() async throws(StoreError) -> DiskUsage {
        // Free space may have changed since it was read last.
        try await measure()
        try await count()
        try await refreshPins()
        guard let state = blobs.files.space.state, let excess = state.limits.excess(of: state.usage)
        else { return DiskUsage() }
        return try await evictor.free(excess)
    }

    /// Removes the blobs that are worth least until that much is free. Returns what was freed.
    package func makeRoom(_ need: DiskUsage) async throws(StoreError) -> DiskUsage {
        try await evictor.free(need)
    }

    /// Counts all blobs again, at most once a minute: processes that died while they wrote left
    /// counts that are too high. Returns whether there is more room now.
    private func recount() async throws(StoreError) -> Bool {
        let isDue = recountedAt.withLock { last in
            let now = ContinuousClock.now
            if let last, last.duration(to: now) < Self.recountPause { return false }
            last = now
            return true
        }
        guard isDue else { return false }
        return try await blobs.threads.run { [space = blobs.files.space] () throws(StoreError) in
            let before = space.ledger.counts.blobs.bytes
            for fan in 0..<256 { try space.count(fan: fan) }
            return space.ledger.counts.blobs.bytes < before
        }
    }

    /// Returns whether something had to be counted.
    private func countIfNeeded() async throws(StoreError) -> Bool {
        if blobs.files.space.ledger.counts.uncounted.isEmpty { return false }
        try await count()
        return true
    }

    /// Counts everything that is not counted yet. A cache of an earlier version has no counts.
    package func count() async throws(StoreError) {
        var left = Int.max
        var fruitless = 0
        while true {
            let uncounted = blobs.files.space.ledger.counts.uncounted.count
            // A process that hangs in a write keeps its directory from being counted.
            fruitless = uncounted < left ? 0 : fruitless + 1
            if uncounted == 0 || fruitless > Self.maxFruitless || Task.isCancelled { return }
            left = uncounted
            try await measure()
        }
    }
}

/// What the cache takes on disk, and what upkeep has done since the start. Never waits for the disk
/// for more than a few system calls.
package struct UpkeepStatus: Sendable, Equatable {
    /// Everything below the cache directory.
    package var usage = DiskUsage()
    /// The limits in force now. A full file system makes them smaller.
    package var limits = DiskUsage()
    /// What blobs may take before others are evicted; the largest number if that is not known.
    package var free = DiskUsage(bytes: .max, files: .max)
    /// Free on the file system.
    package var freeBytes = 0
    /// Whether all of the cache was counted. Otherwise `usage` is an estimate.
    package var isCounted = true
    package var quarantined = DiskUsage()
    /// What an earlier version left.
    package var earlier = DiskUsage()
    /// Bytes of thumbnails that are not evicted, and the items that they belong to.
    package var pinnedBytes = 0
    package var pinnedItems = 0
    /// Pins and favorites that are evicted nevertheless, because others take their part.
    package var unprotectedItems = 0
    package var evicted = EvictionStatus()
    package var scrub = ScrubStatus()

    package init() {}
}

extension Upkeep {
    package var status: UpkeepStatus {
        var status = UpkeepStatus()
        // Measures what it can before the counts are read.
        let state = blobs.files.space.state
        let counts = blobs.files.space.ledger.counts
        status.isCounted = counts.uncounted.isEmpty
        status.quarantined = counts.usage(of: .quarantine) ?? DiskUsage()
        status.earlier = counts.usage(of: .earlier) ?? DiskUsage()
        status.usage = counts.total
        if let state {
            status.limits = DiskUsage(bytes: state.limits.bytes, files: state.limits.files)
            status.free = DiskUsage(
                bytes: max(0, state.limits.admitted - state.usage.bytes),
                files: max(0, state.limits.admittedFiles - state.usage.files))
            status.freeBytes = state.disk.freeBytes
        }
        let load = pins.load
        (status.pinnedBytes, status.pinnedItems, status.unprotectedItems) = load
        status.evicted = evictor.total
        status.scrub = scrub.status
        return status
    }
}
