import TestSupport
import Testing

@testable import Store

@Suite
struct DiskLimitsTests {
    private let disk = FileSystemSpace(
        block: 4_096, bytes: 100 << 30, freeBytes: 50 << 30, files: 1_000_000, freeFiles: 500_000)

    @Test func `the default is a tenth of the file system`() {
        let limits = DiskLimits().resolved(on: disk, usage: DiskUsage())
        #expect(limits == ResolvedLimits(bytes: 10 << 30, files: 100_000))
    }

    @Test func `limits are known before the cache is made`() throws {
        let missing = try #require(DiskLimits().begun(in: "/tmp/not-there/cache"))
        let space = try FileSystemSpace(of: "/tmp")
        #expect(missing.bytes == max(space.bytes / 10, 64 << 20))
        #expect(missing.files == (space.files > 0 ? space.files / 10 : nil))
        #expect(missing.minFree == min(space.bytes / 20, 2 << 30))
        let set = DiskLimits(bytes: 1 << 30, files: 5_000, minFree: 0)
        #expect(set.begun(in: "not/there") == set)
        #expect(DiskLimits().begun(in: "") == DiskLimits().begun(in: "."))
    }

    @Test func `the cache shrinks while other programs need the disk`() {
        var full = disk
        full.freeBytes = 1 << 30
        // 2 GiB are to stay free, so the cache has to give 1 GiB back.
        let usage = DiskUsage(bytes: 5 << 30, files: 10)
        #expect(DiskLimits().resolved(on: full, usage: usage).bytes == 4 << 30)
        full.freeBytes = 0
        #expect(DiskLimits().resolved(on: full, usage: DiskUsage()).bytes == 0)
    }

    @Test func `on a small disk the default leaves room for the index`() {
        let small = FileSystemSpace(
            block: 4_096, bytes: 200 << 20, freeBytes: 190 << 20, files: 0, freeFiles: 0)
        #expect(DiskLimits().resolved(on: small, usage: DiskUsage()).bytes == 64 << 20)
    }

    @Test func `minFree is 5 percent of a small disk`() {
        let small = FileSystemSpace(
            block: 4_096, bytes: 1_000_000, freeBytes: 500_000, files: 0, freeFiles: 0)
        let limits = DiskLimits(bytes: .max).resolved(on: small, usage: DiskUsage())
        #expect(limits.bytes == 450_000)
        #expect(limits.files == .max)
    }

    @Test func `blobs are admitted up to the limits less what is kept for databases`() {
        let limits = ResolvedLimits(bytes: 80 << 20, files: 100)
        #expect(limits.admitted == 70 << 20)
        #expect(limits.admittedFiles == 88)
        let blob = DiskUsage(bytes: 1 << 20, files: 1)
        #expect(limits.admits(blob, to: DiskUsage(bytes: 69 << 20, files: 87)))
        #expect(!limits.admits(blob, to: DiskUsage(bytes: (69 << 20) + 1, files: 87)))
        #expect(!limits.admits(blob, to: DiskUsage(bytes: 0, files: 88)))
        #expect(ResolvedLimits(bytes: 0, files: 1_000_000).admittedFiles == 999_936)
    }

    @Test func `eviction starts before the limit and ends well below it`() {
        let limits = ResolvedLimits(bytes: 1 << 30, files: 1_000_000)
        let admitted = limits.admitted
        #expect(limits.excess(of: DiskUsage(bytes: admitted * 30 / 32, files: 0)) == nil)
        let need = limits.excess(of: DiskUsage(bytes: admitted, files: 0))
        #expect(need?.bytes == admitted / 16)
        #expect(need?.files == 0)
        #expect(limits.excess(of: DiskUsage(bytes: 0, files: 1_000_000))?.files == 62_561)
    }

    @Test func `numbers at their limits don't stop the program`() {
        let huge = FileSystemSpace(
            block: 1, bytes: .max / 2, freeBytes: .max / 2, files: .max, freeFiles: .max / 2)
        let usage = DiskUsage(bytes: 1 << 58, files: 1 << 58)
        for limits in [DiskLimits(), .none, DiskLimits(bytes: 0, files: 0, minFree: .max)] {
            let resolved = limits.resolved(on: huge, usage: usage)
            _ = resolved.admits(DiskUsage(bytes: 1 << 30, files: 1), to: usage)
            _ = resolved.excess(of: usage)
            _ = resolved.need(DiskUsage(bytes: 1 << 30, files: 1), of: usage)
        }
    }
}

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
        blobs.files.space.ledger.set(.quarantine, to: DiskUsage(bytes: 1 << 50))
        await upkeep.tick()
        await upkeep.tick()
        #expect(told.value == [.crowded(bytes: 0), .roomy])
    }
}
