import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1))) struct DirectReadsTests {
    /// `O_DIRECT`, which Glibc's module leaves out.
    #if arch(arm64)
        private static let direct: Int32 = 0o200000
    #else
        private static let direct: Int32 = 0o40000
    #endif

    let scratch: StoreScratch
    let store: BlobStore
    let bytes: [UInt8]

    init() throws {
        scratch = try StoreScratch()
        store = try BlobStore(root: scratch.path)
        var random = SeededGenerator(seed: 1)
        bytes = random.bytes(14_000)
    }

    /// Reads as the threads of connections do: without waiting, and where that doesn't work on another thread.
    private func read(
        _ digest: Digest, known: FileStamp? = nil, count: Int? = nil
    ) -> (outcome: DirectRead, bytes: [UInt8]) {
        let count = count ?? bytes.count
        var outcome = DirectRead.unusable
        let all = [UInt8](unsafeUninitializedCapacity: count + 1) { memory, filled in
            let place = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(memory)[...count])
            place.initializeMemory(as: UInt8.self, repeating: 0)
            outcome = store.read(digest, known: known, into: place, mayWait: false)
            if case .waits = outcome {
                outcome = store.read(digest, known: known, into: place, mayWait: true)
            }
            filled = count
        }
        return (outcome, all)
    }

    private func stamp(_ outcome: DirectRead) -> FileStamp? {
        if case .whole(let stamp) = outcome { return stamp }
        return nil
    }

    private func isUnusable(_ outcome: DirectRead) -> Bool {
        if case .unusable = outcome { return true }
        return false
    }

    @Test func `a blob is compared with its digest once, as long as its file is unchanged`()
        async throws
    {
        let digest = try await scratch.settled(bytes, in: store)
        let first = read(digest)
        #expect(first.bytes == bytes)
        let stamp = try #require(self.stamp(first.outcome))
        #expect(store.bytesRead == (bytes.count, bytes.count))
        let second = read(digest, known: stamp)
        #expect(second.bytes == bytes)
        #expect(self.stamp(second.outcome) == stamp)
        #expect(store.bytesRead == (bytes.count, 2 * bytes.count))
        #expect(store.uses.age(of: digest, at: store.now()) == 0)
    }

    @Test func `a blob whose file was touched is compared again`() async throws {
        let digest = try await scratch.settled(bytes, in: store)
        let known = try #require(stamp(read(digest).outcome))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1)],
            ofItemAtPath: scratch.blob(digest))
        let again = read(digest, known: known)
        #expect(again.bytes == bytes)
        if case .whole(let stamp) = again.outcome {
            #expect(stamp != known)
        } else {
            Issue.record("a whole blob was refused")
        }
        #expect(store.bytesRead.verified == 2 * bytes.count)
    }

    @Test func `changed bytes, other sizes and other files are unusable, and stay where they are`()
        async throws
    {
        let digest = try await scratch.settled(bytes, in: store)
        let known = try #require(stamp(read(digest).outcome))
        #expect(isUnusable(read(digest, known: known, count: bytes.count + 1).outcome))
        #expect(isUnusable(read(digest, known: known, count: bytes.count - 1).outcome))
        #expect(isUnusable(read(digest, count: bytes.count - 1).outcome))
        let path = scratch.blob(digest)
        try scratch.overwrite(path, with: [bytes[0] ^ 1])
        #expect(isUnusable(read(digest, known: known).outcome))
        #expect(isUnusable(read(digest).outcome))
        #expect(FileManager.default.fileExists(atPath: path))
        try FileManager.default.removeItem(atPath: path)
        #expect(isUnusable(read(digest, known: known).outcome))
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: "/dev/zero")
        #expect(isUnusable(read(digest, known: known).outcome))
    }

    @Test(
        .enabled("needs a directory that is not in memory") {
            !StoreScratch.isInMemory(FileManager.default.temporaryDirectory.path)
        })
    func `a file that is not in the page cache is read only where waiting is allowed`()
        async throws
    {
        let count = 16_384
        // One byte more, as every reader has it, and aligned for the write past the page cache.
        // Dropping pages from that cache is only a wish to the kernel.
        let place = UnsafeMutableRawBufferPointer.allocate(byteCount: count + 1, alignment: 4_096)
        defer { place.deallocate() }
        var random = SeededGenerator(seed: 2)
        // The kernel begins to read ahead before it says that a read would wait. On a busy machine
        // the bytes of some files can be there when it looks again, but not those of all.
        var waited = 0
        for _ in 0..<32 {
            let bytes = random.bytes(count)
            let digest = try await store.put(bytes)
            try FileManager.default.removeItem(atPath: scratch.blob(digest))
            let file = open(scratch.blob(digest), O_WRONLY | O_CREAT | Self.direct, 0o600)
            place.copyBytes(from: bytes)
            #expect(write(file, place.baseAddress, count) == count)
            close(file)
            var outcome = store.read(digest, known: nil, into: place, mayWait: false)
            if case .waits = outcome {
                waited += 1
                outcome = store.read(digest, known: nil, into: place, mayWait: true)
            }
            #expect(!isUnusable(outcome))
            #expect(place.dropLast().elementsEqual(bytes))
        }
        #expect(waited > 0)
    }

    @Test(
        .enabled("needs a tmpfs") { StoreScratch.isInMemory(StoreScratch.memory) },
        arguments: [1, 4_096, 8_192, 14_000])
    func `a file of a tmpfs is read without waiting`(count: Int) async throws {
        let scratch = try StoreScratch(in: StoreScratch.memory)
        let store = try BlobStore(root: scratch.path)
        let digest = try await store.put(Array(bytes.prefix(count)))
        let place = UnsafeMutableRawBufferPointer.allocate(byteCount: count + 1, alignment: 16)
        defer { place.deallocate() }
        guard case .whole = store.read(digest, known: nil, into: place, mayWait: false) else {
            Issue.record("a read that need not wait did")
            return
        }
        #expect(place.dropLast().elementsEqual(bytes.prefix(count)))
    }
}
