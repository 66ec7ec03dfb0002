import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1))) struct OpenBlobTests {
    let scratch: StoreScratch
    let store: BlobStore
    let bytes: [UInt8]

    init() throws {
        scratch = try StoreScratch()
        store = try BlobStore(root: scratch.path)
        var random = SeededGenerator(seed: 1)
        bytes = random.bytes(600_000)
    }

    /// Stores the blob and returns when a change of its file would show in its times.
    private func put() async throws -> Digest {
        let digest = try await store.put(bytes)
        try await scratch.settle(digest)
        return digest
    }

    @Test func `a blob is verified once and read in parts`() async throws {
        let digest = try await put()
        #expect(try await store.open(digest)?.byteCount == bytes.count)
        #expect(store.bytesRead == (bytes.count, 0))
        for _ in 0..<3 {
            let blob = try #require(try await store.open(digest))
            #expect(try await blob.read(500_000..<500_001) == [bytes[500_000]])
            #expect(blob.beginning == Array(bytes.prefix(8_192)))
        }
        #expect(store.bytesRead == (bytes.count, 3))
        #expect(try await store.look(digest)?.byteCount == bytes.count)
        #expect(try await store.byteCount(digest) == bytes.count)
        #expect(store.bytesRead == (bytes.count, 3))
    }

    @Test func `readers share an open file`() async throws {
        let digest = try await put()
        let first = try await store.open(digest)
        let second = try await store.open(digest)
        #expect(first != nil && first === second)
    }

    @Test(arguments: Damage.allCases)
    func `a blob that is damaged after its verification is never served`(
        damage: Damage
    ) async throws {
        let digest = try await put()
        #expect(try await store.open(digest) != nil)
        try damage.strike(scratch.blob(digest))
        #expect(try await store.open(digest) == nil)
        #expect(try await store.contains(digest) == false)
        #expect(try await store.statistics().quarantined == 1)
        #expect(try await store.put(bytes) == digest)
        let blob = try #require(try await store.open(digest))
        #expect(try await blob.read(0..<bytes.count) == bytes)
    }

    @Test(arguments: [Damage.flippedBit, .zeroed, .truncated, .grown, .emptied])
    func `an open blob returns no byte after its file changed`(damage: Damage) async throws {
        let digest = try await put()
        let blob = try #require(try await store.open(digest))
        try damage.strike(scratch.blob(digest))
        await #expect(throws: StoreError.self) { try await blob.read(0..<1) }
    }

    @Test func `a removed blob that is open is read to its end`() async throws {
        let digest = try await put()
        let blob = try #require(try await store.open(digest))
        try await store.remove(digest)
        #expect(try await blob.read(0..<bytes.count) == bytes)
        #expect(try await store.open(digest) == nil)
        #expect(try await store.look(digest) == nil)
    }
}
