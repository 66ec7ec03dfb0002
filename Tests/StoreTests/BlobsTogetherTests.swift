import Foundation
import TestSupport
import Testing

@testable import Store

/// Several blobs that are put at once.
@Suite(.timeLimit(.minutes(1)))
struct BlobsTogetherTests {
    let scratch: StoreScratch

    init() throws { scratch = try StoreScratch() }

    private func store(
        _ staging: StagingMethod = .anonymous, limits: DiskLimits = .none
    ) throws -> BlobStore {
        var policy = StorePolicy()
        policy.limits = limits
        return try BlobStore(root: scratch.path, staging: staging, policy: policy)
    }

    private func blobs(_ numbers: Range<Int>, count: Int = 5_000) -> [HashedBytes] {
        numbers.map { number in
            var random = SeededGenerator(seed: UInt64(number))
            return HashedBytes(random.bytes(count + number))
        }
    }

    /// Blobs and directories below the directory of blobs.
    private func found(_ store: BlobStore) throws -> DiskUsage {
        let root = store.files.layout.blobs
        var usage = try #require(store.files.space.state).disk.usage(of: root, depth: 3)
        // The directory itself is counted elsewhere.
        usage.files -= 1
        usage.bytes -= try #require(store.files.space.state).disk.block
        return usage
    }

    @Test(arguments: [StagingMethod.anonymous, .named])
    func `they are stored, and counted as they are on disk`(staging: StagingMethod) async throws {
        let store = try store(staging)
        // The second set finds a part of its directories, and some of its blobs.
        for set in [blobs(0..<200), blobs(150..<400), blobs(0..<400)] {
            for start in stride(from: 0, to: set.count, by: 5) {
                try await store.put(Array(set[start..<start + 5]))
            }
            for blob in set { #expect(try await store.load(blob.digest) == blob.bytes) }
            #expect(store.files.space.ledger.counts.blobs == (try found(store)))
        }
    }

    @Test func `equal blobs of one call are stored once`() async throws {
        let store = try store()
        let two = blobs(0..<2)
        try await store.put(two + two)
        #expect(store.files.space.ledger.counts.blobs == (try found(store)))
    }

    @Test func `a directory that was removed meanwhile is made again`() async throws {
        let store = try store()
        let (first, second) = (blobs(0..<8), blobs(0..<8, count: 9_000))
        try await store.put(first)
        for blob in first { try await store.remove(blob.digest) }
        try await store.put(first + second)
        for blob in first + second { #expect(try await store.load(blob.digest) == blob.bytes) }
        #expect(store.files.space.ledger.counts.blobs == (try found(store)))
    }

    @Test func `a file in the place of one is quarantined, and all are stored`() async throws {
        let store = try store()
        let set = blobs(0..<5)
        try StoreLayout.makeDirectories(scratch.blob(set[2].digest))
        try await store.put(set)
        for blob in set { #expect(try await store.load(blob.digest) == blob.bytes) }
        #expect(store.healed == 1)
    }

    @Test func `without room for all of them nothing above the budget is written`() async throws {
        let store = try store(limits: DiskLimits(bytes: 1 << 20, files: .max, minFree: 0))
        await #expect(throws: StoreError.self) {
            try await store.put(blobs(0..<40, count: 60_000))
        }
        #expect(try found(store).bytes <= 1 << 20)
        #expect(store.files.space.ledger.counts.blobs == (try found(store)))
    }
}
