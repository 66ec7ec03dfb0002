import TestSupport
import Testing

@testable import Store

/// A cache that shares its disk with other files.
@Suite(.timeLimit(.minutes(1))) struct CrowdingTests {
    private let disk = FileSystemSpace(
        block: 4_096, bytes: 100 << 30, freeBytes: 3 << 30, files: 0, freeFiles: 0)

    @Test(arguments: [
        (DiskLimits(bytes: 2 << 30, minFree: 2 << 30), false),
        (DiskLimits(bytes: (2 << 30) + 2, minFree: 2 << 30), true),
        (DiskLimits(bytes: 1 << 30, minFree: 3 << 30), true),
        // A tenth of the file system is 10 GiB.
        (DiskLimits(), true), (.none, false),
    ])
    func `other files crowd a cache that may take less than half of its budget`(
        limits: DiskLimits, isCrowded: Bool
    ) {
        #expect(limits.resolved(on: disk, usage: DiskUsage()).isCrowded == isCrowded)
    }

    @Test func `the log has a line when the disk fills, and one when it has room again`()
        async throws
    {
        let scratch = try StoreScratch()
        let told = Watched<[StoreEvent]>([])
        var policy = StorePolicy()
        policy.limits = DiskLimits(bytes: 32 << 20, files: .max, minFree: 1 << 50)
        policy.report = { event in told.change { $0.append(event) } }
        let blobs = try BlobStore(root: scratch.path, policy: policy)
        let upkeep = Upkeep(
            blobs: blobs, index: try Index(root: scratch.path),
            userData: try UserData(root: scratch.path))
        await upkeep.tick()
        await upkeep.tick()
        #expect(told.value == [.crowded(bytes: 0)])
        // As if the cache itself took what is to stay free.
        blobs.files.space.ledger.set(.earlier, to: DiskUsage(bytes: 1 << 50))
        await upkeep.tick()
        await upkeep.tick()
        #expect(told.value == [.crowded(bytes: 0), .roomy])
    }
}
