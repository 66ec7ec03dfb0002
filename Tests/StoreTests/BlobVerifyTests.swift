import Foundation
import Hashing
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct BlobVerifyTests {
    let scratch: StoreScratch
    let store: BlobStore

    init() throws {
        scratch = try StoreScratch()
        store = try BlobStore(root: scratch.path)
    }

    @Test func `an intact store has no complaints, and progress is reported`() async throws {
        for number in 0..<40 { _ = try await store.put([UInt8(number)]) }
        let seen = Mutex<[Int]>([])
        let report = try await store.verify(repair: false) { done in
            seen.withLock { $0.append(done) }
        }
        #expect(report.blobs == 40)
        #expect(report.bytes == 40)
        #expect(report.corrupt.isEmpty && report.strays.isEmpty)
        let progress = seen.withLock { $0 }
        #expect(progress == progress.sorted())
        #expect(progress.last == 40)
    }

    @Test func `damaged and misplaced files are listed, and repair quarantines them`() async throws
    {
        let good = try await store.put([1])
        var damaged: [Digest] = []
        for (number, damage) in Damage.allCases.enumerated() where damage != .link {
            let digest = try await store.put([100, UInt8(number)])
            try damage.strike(scratch.blob(digest))
            damaged.append(digest)
        }
        let hex = good.hex
        let home = "v2/blobs/\(hex.prefix(2))/\(hex.dropFirst(2).prefix(2))"
        let other = Digest(of: [2]).hex
        let strays = [
            "v2/blobs/README", "v2/blobs/\(hex.prefix(2))/note", "\(home)/\(other)", "\(home)/x",
            "v2/staging/left",
        ]
        for stray in strays { try scratch.write([0], to: stray) }

        var report = try await store.verify(repair: false) { _ in }
        #expect(report.blobs == 1)
        #expect(report.corrupt == damaged.sorted())
        #expect(report.strays == strays.sorted())
        #expect(try await store.statistics().quarantined == 0)
        #expect(try await store.statistics().staging == 1)

        #expect(try await store.verify(repair: true) { _ in } == report)
        report = try await store.verify(repair: false) { _ in }
        #expect(report.blobs == 1)
        #expect(report.corrupt.isEmpty && report.strays.isEmpty)
        #expect(try await store.statistics().quarantined == damaged.count + strays.count - 1)
        #expect(try await store.load(good) == [1])
    }

    @Test func `only quarantined files are counted`() throws {
        let (quarantine, path) = (store.files.quarantine, "\(scratch.path)/damaged")
        try scratch.write([1, 2, 3], to: "damaged")
        try quarantine.take("\(scratch.path)/gone")
        let inode = try #require(try fileStatus(path)).st_ino
        // Another process replaced the file meanwhile.
        try quarantine.take(path, inode: inode + 1)
        #expect(store.healed == 0)
        #expect(FileManager.default.fileExists(atPath: path))
        try quarantine.take(path, inode: inode)
        #expect(store.healed == 1)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try quarantine.count() == 1)
    }
}

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

    @Test func `a blob is verified once and read in parts`() async throws {
        let digest = try await scratch.settled(bytes, in: store)
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
        let digest = try await scratch.settled(bytes, in: store)
        let first = try await store.open(digest)
        let second = try await store.open(digest)
        #expect(first != nil && first === second)
    }

    @Test(arguments: Damage.allCases)
    func `a blob that is damaged after its verification is never served`(
        damage: Damage
    ) async throws {
        let digest = try await scratch.settled(bytes, in: store)
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
        let digest = try await scratch.settled(bytes, in: store)
        let blob = try #require(try await store.open(digest))
        try damage.strike(scratch.blob(digest))
        await #expect(throws: StoreError.self) { try await blob.read(0..<1) }
    }

    @Test func `a removed blob that is open is read to its end`() async throws {
        let digest = try await scratch.settled(bytes, in: store)
        let blob = try #require(try await store.open(digest))
        try await store.remove(digest)
        #expect(try await blob.read(0..<bytes.count) == bytes)
        #expect(try await store.open(digest) == nil)
        #expect(try await store.look(digest) == nil)
    }
}
