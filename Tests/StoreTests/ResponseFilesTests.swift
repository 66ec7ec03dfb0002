import Foundation
import Hashing
import TestSupport
import Testing

@testable import Store

/// Files that responses have open, which are bounded.
@Suite(.timeLimit(.minutes(1))) struct ResponseFilesTests {
    let scratch: StoreScratch
    let store: BlobStore

    init() throws {
        scratch = try StoreScratch()
        // With memory for a failing disk, so that an error could be taken for a missing blob.
        store = try BlobStore(root: scratch.path, policy: Self.policy(kept: 0, wait: .zero))
    }

    private static func policy(kept: Int, wait: Duration) -> StorePolicy {
        var policy = StorePolicy(unsavedBytes: 1 << 20)
        (policy.responseFiles, policy.keptFiles, policy.fileWait) = (2, kept, wait)
        return policy
    }

    private func open(_ number: UInt8) async throws -> OpenBlob? {
        try await store.open(try await store.put([number]))
    }

    @Test func `a file beyond the limit is refused and its blob isn't missing`() async throws {
        var first = try await open(1)
        let second = try await open(2)
        #expect(first != nil && second != nil)
        await #expect(throws: StoreError.tooManyFiles) { try await open(3) }
        await #expect(throws: StoreError.tooManyFiles) { try await store.reserveFile() }
        first = nil
        #expect(try await open(3) != nil)
        #expect(try await store.load(Digest(of: [1])) == [1])
    }

    @Test func `a response waits for a file that another one has open`() async throws {
        let store = try BlobStore(
            root: scratch.path, policy: Self.policy(kept: 0, wait: .seconds(600)))
        var digests: [Digest] = []
        for number: UInt8 in 1...3 { digests.append(try await store.put([number])) }
        var first = try await store.open(digests[0])
        let second = try await store.open(digests[1])
        let last = digests[2]
        let third = Task { try await store.open(last)?.digest }
        await eventually { store.waitingForFiles == 1 }
        #expect(first != nil && second != nil)
        first = nil
        #expect(try await third.value == last)
    }

    @Test func `files that are kept for the next response make room for others`() async throws {
        let store = try BlobStore(root: scratch.path, policy: Self.policy(kept: 32, wait: .zero))
        for number: UInt8 in 1...2 {
            let digest = try await scratch.settled([number], in: store)
            let place = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 1)
            defer { place.deallocate() }
            guard case .whole = store.read(digest, known: nil, into: place, mayWait: true) else {
                Issue.record("\(number) can't be read")
                return
            }
        }
        #expect(store.openFiles == (responses: 0, kept: 2))
        var blobs: [OpenBlob?] = []
        for number: UInt8 in 1...34 {
            blobs.append(try await store.open(try await store.put([number])))
        }
        #expect(blobs.count { $0 != nil } == 34)
        #expect(store.openFiles == (responses: 34, kept: 0))
        let last = try await store.put([35])
        await #expect(throws: StoreError.tooManyFiles) { try await store.open(last) }
        blobs = []
        #expect(store.openFiles == (responses: 0, kept: 0))
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
                file, as: Digest(of: [1, 2, 3]), byteCount: 3, try await store.reserveFile())
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
