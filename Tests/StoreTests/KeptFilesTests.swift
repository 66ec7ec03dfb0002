import Foundation
import Hashing
import TestSupport
import Testing
import Threads

@testable import Store

/// Files that stay open between two reads.
@Suite(.timeLimit(.minutes(1))) struct KeptFilesTests {
    private let scratch: StoreScratch
    private let store: BlobStore
    private let bytes: [UInt8]

    init() throws {
        scratch = try StoreScratch()
        store = try BlobStore(root: scratch.path)
        var random = SeededGenerator(seed: 2)
        bytes = random.bytes(20_000)
    }

    /// Puts the blob and reads it, so that its file is kept.
    private func kept() async throws -> (Digest, VerifiedFile) {
        let digest = try await scratch.settled(bytes, in: store)
        try #require(read(digest) == bytes)
        return (digest, try #require(store.keptFile(digest)))
    }

    /// Returns the bytes; nil if they are unusable.
    private func read(_ digest: Digest) -> [UInt8]? {
        let place = UnsafeMutableRawBufferPointer.allocate(
            byteCount: bytes.count + 1, alignment: 16)
        defer { place.deallocate() }
        guard case .whole = store.read(digest, known: nil, into: place, mayWait: true) else {
            return nil
        }
        return Array(place.dropLast())
    }

    private func overwrite(_ digest: Digest) throws {
        try scratch.overwrite(scratch.blob(digest), with: [bytes[0] ^ 1])
    }

    @Test func `a file that was compared stays open, and is compared once`() async throws {
        let (digest, file) = try await kept()
        #expect(file.byteCount == bytes.count)
        #expect(read(digest) == bytes && store.keptFile(digest) === file)
        #expect(store.bytesRead == (bytes.count, 2 * bytes.count))
        var sent = [UInt8](repeating: 0, count: bytes.count)
        #expect(pread(file.descriptor, &sent, sent.count, 0) == sent.count && sent == bytes)
        file.countSent(sent.count)
        #expect(store.bytesRead.sent == 3 * bytes.count)
        #expect(store.direct.count == 1)
    }

    @Test func `a file that was overwritten is not kept, and is compared again`() async throws {
        let (digest, file) = try await kept()
        try overwrite(digest)
        #expect(!file.isUnchanged)
        #expect(store.keptFile(digest) == nil)
        #expect(read(digest) == nil)
    }

    @Test func `a read notices that its open file was overwritten`() async throws {
        let (digest, _) = try await kept()
        try overwrite(digest)
        #expect(read(digest) == nil)
        #expect(store.keptFile(digest) == nil)
    }

    @Test func `a file that another one has replaced is not kept`() async throws {
        let (digest, _) = try await kept()
        let other = scratch.path + "/other"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: other))
        #expect(rename(other, scratch.blob(digest)) == 0)
        #expect(store.keptFile(digest) == nil)
        #expect(read(digest) == nil)
    }

    @Test func `a removed blob is closed at once`() async throws {
        var (digest, file): (Digest, VerifiedFile?) = try await kept()
        #expect(store.direct.count == 1)
        file = nil
        try await store.remove(digest)
        #expect(store.direct.count == 0 && file == nil)
    }

    @Test func `files that another process has removed are closed by a sweep`() async throws {
        var (digest, file): (Digest, VerifiedFile?) = try await kept()
        file = nil
        store.direct.sweep()
        #expect(store.direct.count == 1 && file == nil)
        try FileManager.default.removeItem(atPath: scratch.blob(digest))
        store.direct.sweep()
        #expect(store.direct.count == 0)
    }

    @Test func `files are closed once none was used for some sweeps`() async throws {
        var (digest, file): (Digest, VerifiedFile?) = try await kept()
        file = nil
        for _ in 0..<2 * DirectReads.idleSweeps {
            store.direct.sweep()
            #expect(store.direct.file(digest) != nil)
        }
        for _ in 0..<DirectReads.idleSweeps { store.direct.sweep() }
        #expect(store.direct.count == 1 && file == nil)
        store.direct.sweep()
        #expect(store.direct.count == 0)
    }

    private func reads(limit: Int) -> DirectReads {
        DirectReads(
            store.files.layout, store.threads, verified: Counter(), sent: Counter(), limit: limit)
    }

    @Test func `no more files are open than allowed, those under way included`() throws {
        let kept = reads(limit: 8)
        var held: [VerifiedFile] = []
        for number in 0..<40 {
            let digest = Digest(of: [UInt8(number)])
            let file = open(scratch.path, O_RDONLY | O_CLOEXEC)
            try #require(file >= 0)
            var status = stat()
            try #require(fstat(file, &status) == 0)
            kept.keep(file, FileStamp(status), as: digest)
            // Slow clients hold every file that there was.
            if let file = kept.file(digest) { held.append(file) }
            #expect(kept.count <= 8)
        }
        #expect(kept.count == 8 && held.count == 8)
        held = []
        #expect(kept.count == 6)
    }

    @Test func `a process with few descriptors keeps none`() throws {
        let none = reads(limit: 0)
        var files: [CInt] = [0, 0]
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &files) == 0)
        var status = stat()
        try #require(fstat(files[0], &status) == 0)
        none.keep(files[0], FileStamp(status), as: Digest(of: [1]))
        // Its number may be that of another test's file by now. The other end knows that it is closed.
        var other = pollfd(fd: files[1], events: 0, revents: 0)
        #expect(none.count == 0 && poll(&other, 1, 10_000) == 1)
        close(files[1])
    }
}
