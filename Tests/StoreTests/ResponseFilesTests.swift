import Foundation
import Hashing
import Testing

@testable import Store

/// Files that responses have open, which are bounded.
@Suite(.timeLimit(.minutes(1))) struct ResponseFilesTests {
    let scratch: StoreScratch
    let store: BlobStore

    init() throws {
        scratch = try StoreScratch()
        // With memory for a failing disk, so that an error could be taken for a missing blob.
        var policy = StorePolicy(unsavedBytes: 1 << 20)
        policy.responseFiles = 2
        store = try BlobStore(root: scratch.path, policy: policy)
    }

    private func open(_ number: UInt8) async throws -> OpenBlob? {
        try await store.open(try await store.put([number]))
    }

    @Test func `a file beyond the limit is refused and its blob isn't missing`() async throws {
        var first = try await open(1)
        let second = try await open(2)
        #expect(first != nil && second != nil)
        await #expect(throws: StoreError.tooManyFiles) { try await open(3) }
        #expect(throws: StoreError.tooManyFiles) { try store.reserveFile() }
        first = nil
        #expect(try await open(3) != nil)
        #expect(try await store.load(Digest(of: [1])) == [1])
    }

    @Test func `readers of one blob count once`() async throws {
        let blobs = [try await open(1), try await open(1), try await open(1), try await open(2)]
        #expect(blobs.count { $0 != nil } == 4)
        await #expect(throws: StoreError.tooManyFiles) { try await open(3) }
    }

    @Test func `readers of one file in another place share it`() async throws {
        let store = try BlobStore(root: scratch.path)
        let path = scratch.path + "/picture"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var blobs: [OpenBlob] = []
        for _ in 0..<4 {
            let blob = try await store.adopt(
                file, as: Digest(of: [1, 2, 3]), byteCount: 3, store.reserveFile())
            blobs.append(try #require(blob))
        }
        #expect(blobs.allSatisfy { $0 === blobs[0] })
    }

    @Test func `a process without descriptors has no missing blobs`() throws {
        let layout = try StoreLayout(opening: scratch.path)
        for code in [EMFILE, ENFILE] {
            #expect(layout.error(Errno(code), "read", "a") == .tooManyFiles)
        }
    }
}
