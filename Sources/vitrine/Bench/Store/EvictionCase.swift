import App
import FoundationEssentials
import Store

/// Removing blobs until a budget holds, with the rows that name them. What was removed is stored
/// again afterwards.
struct EvictionCase: BenchCase {
    let store: FilledStore
    /// Blobs to remove, at most a quarter of all.
    let count: Int

    init(store: FilledStore, count: Int) {
        self.store = store
        self.count = max(1, min(count, store.digests.count / 4))
    }

    var head: BenchRow.Head {
        BenchRow.Head(.store, ["evictions", "entries=\(store.entries)"], state: .warm)
    }

    func round(_ number: Int) async throws -> BenchSample {
        let (upkeep, userData) = try await open()
        let (before, started) = (ProcessUsage.own(), ContinuousClock.now)
        let freed = try await upkeep.evictToBudget()
        let wall = started.duration(to: .now) / .seconds(1)
        let processor = ProcessUsage.own().processor - before.processor
        try await FileThreads.run { try userData.close() }
        try await store.restore()
        guard freed.files > 0 else { throw CommandError("Nothing was evicted.") }
        return BenchSample([
            (.rate("blobs/s"), Double(freed.files) / wall),
            (.processorTime("µs/blob"), processor * 1e6 / Double(freed.files)),
        ])
    }

    /// Opens the store with a budget that is too small by as many blobs.
    private func open() async throws -> (Upkeep, UserData) {
        let (root, index) = (store.root, store.index)
        let userData = try await FileThreads.run { try UserData(root: root) }
        let counting = Upkeep(blobs: store.blobs, index: index, userData: userData)
        try await counting.count()
        let used = counting.status.usage
        var policy = StorePolicy()
        policy.limits = DiskLimits(bytes: .max, files: max(1, used.files - count), minFree: 0)
        let blobs = try await FileThreads.run { [policy] in
            try BlobStore(root: root, policy: policy)
        }
        return (
            Upkeep(
                blobs: blobs, index: index, userData: userData,
                // The rows of the store expired long ago.
                forgetAfter: .seconds(10_000_000_000)),
            userData
        )
    }
}
