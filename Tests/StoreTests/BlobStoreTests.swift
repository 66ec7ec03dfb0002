import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct BlobStoreTests {
    let scratch: StoreScratch

    init() throws { scratch = try StoreScratch() }

    @Test(arguments: [StagingMethod.anonymous, .named], [0, 1, 4096, 262_144, 262_145, 900_000])
    func `a stored blob is returned`(staging: StagingMethod, count: Int) async throws {
        let store = try BlobStore(root: scratch.path, staging: staging)
        var random = SeededGenerator(seed: UInt64(count))
        let bytes = random.bytes(count)
        let digest = try await store.put(bytes)
        #expect(digest == Digest(of: bytes))
        #expect(try await store.load(digest) == bytes)
        #expect(try await store.contains(digest))
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.blob(digest))) == Data(bytes))
        #expect(try scratch.names("v2/staging").isEmpty)
    }

    @Test(arguments: [StagingMethod.anonymous, .named], [10, 400_000])
    func `equal bytes are written once`(staging: StagingMethod, count: Int) async throws {
        let store = try BlobStore(root: scratch.path, staging: staging)
        let bytes = [UInt8](repeating: 7, count: count)
        let digest = try await store.put(bytes)
        let inode = try fileStatus(scratch.blob(digest))?.st_ino
        #expect(try await store.put(bytes) == digest)
        #expect(try fileStatus(scratch.blob(digest))?.st_ino == inode)
        let statistics = try await store.statistics()
        #expect(statistics.blobs == 1)
        #expect(statistics.bytes == count)
    }

    @Test func `blob files are never executable`() async throws {
        for staging in [StagingMethod.anonymous, .named] {
            let store = try BlobStore(root: scratch.path, staging: staging)
            let digest = try await store.put(staging == .named ? [1] : [2])
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.blob(digest))
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            #expect(mode & 0o600 == 0o600)
            #expect(mode & ~0o644 == 0)
        }
    }

    @Test(arguments: [StagingMethod.anonymous, .named])
    func `equal and different blobs can be stored concurrently`(staging: StagingMethod) async throws
    {
        let stores = try (0..<2).map { _ in
            try BlobStore(root: scratch.path, staging: staging)
        }
        var random = SeededGenerator(seed: 3)
        let blobs = (0..<24).map { random.bytes($0 * 20_000) }
        try await withThrowingTaskGroup { group in
            for store in stores {
                for bytes in blobs + blobs.reversed() {
                    group.addTask {
                        let digest = try await store.put(bytes)
                        #expect(try await store.load(digest) == bytes)
                    }
                }
            }
            try await group.waitForAll()
        }
        let report = try await stores[0].verify(repair: false) { _ in }
        #expect(report.blobs == blobs.count)
        #expect(report.corrupt.isEmpty)
        #expect(report.strays.isEmpty)
        #expect(try await stores[1].statistics().quarantined == 0)
    }

    @Test func `two stores can share a root, which is made if it is missing`() async throws {
        let first = try BlobStore(root: scratch.path + "/a/b/c")
        let second = try BlobStore(root: scratch.path + "/a/b/c/")
        let digest = try await first.put([5])
        #expect(try await second.load(digest) == [5])
        try await second.remove(digest)
        #expect(try await first.load(digest) == nil)
    }

    @Test func `an unusable root is reported with its cause`() throws {
        try scratch.write([], to: "file")
        let below = scratch.path + "/file/cache"
        #expect(throws: StoreError.unusable(path: below, reason: "Not a directory")) {
            try BlobStore(root: below)
        }
        let file = scratch.path + "/file"
        #expect(throws: StoreError.unusable(path: file, reason: "Not a directory")) {
            try BlobStore(root: file)
        }
        #expect(throws: StoreError.self) { try BlobStore(root: "/proc/vitrine") }
    }

    @Test func `a newer layout is not changed`() throws {
        let newer = scratch.path + "/v3"
        try FileManager.default.createDirectory(atPath: newer, withIntermediateDirectories: true)
        #expect(throws: StoreError.unknownLayout(path: scratch.path, found: "layout v3")) {
            try BlobStore(root: scratch.path)
        }
        #expect(throws: StoreError.unknownLayout(path: scratch.path, found: "layout v3")) {
            try Index(root: scratch.path)
        }
        #expect(try scratch.names("") == ["v3"])
    }
}
