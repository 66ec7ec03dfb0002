import Store
import Synchronization
import TestSupport
import Testing

@testable import Console
@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct FilledStoreTests {
    @Test func `a blob that is loaded must have the bytes that were put`() async throws {
        try await withScratchDirectory { directory in
            let store = try await FilledStore.fill(
                "\(directory)/store", entries: 4, blobs: 2, seed: 1
            ) { _ in }
            try await store.load(0, 0)()
            try await store.load(1, 0)()
            let exchanged = FilledStore(
                root: store.root, seed: store.seed, entries: store.entries, blobs: store.blobs,
                index: store.index, durable: store.durable,
                digests: store.digests.reversed(), indexBytes: 0)
            await #expect(throws: CommandError("A blob has other bytes than were put.")) {
                try await exchanged.load(0, 0)()
            }
            // Only one in 64 is compared.
            try await exchanged.load(0, 1)()
            try store.close()
        }
    }

    @Test func `a store that was kept is taken as it is, and no other`() async throws {
        try await withScratchDirectory { directory in
            let root = "\(directory)/store"
            let first = try await FilledStore.at(root, entries: 40, blobs: 8, seed: 1) { _ in }
            try first.close()
            let said = Mutex([String]())
            let again = try await FilledStore.at(root, entries: 40, blobs: 8, seed: 1) { line in
                said.withLock { $0.append(line) }
            }
            #expect(said.withLock(\.self) == ["Taking the store in \(root)."])
            #expect(again.digests == first.digests)
            for number in 0..<8 { try await again.load(number, 0)() }
            #expect(try await again.index.thumbnail(again.key(39)) != nil)
            try again.close()
            await #expect(throws: CommandError.self) {
                _ = try await FilledStore.at(root, entries: 40, blobs: 8, seed: 2) { _ in }
            }
        }
    }

    @Test func `a missing blob is an error`() async throws {
        try await withScratchDirectory { directory in
            let store = try await FilledStore.fill(
                "\(directory)/store", entries: 4, blobs: 2, seed: 1
            ) { _ in }
            let empty = try await FilledStore.fill(
                "\(directory)/other", entries: 4, blobs: 1, seed: 2
            ) { _ in }
            let wrong = FilledStore(
                root: empty.root, seed: 1, entries: 4, blobs: empty.blobs, index: empty.index,
                durable: empty.durable, digests: store.digests,
                indexBytes: 0)
            await #expect(throws: CommandError("A blob is missing.")) {
                try await wrong.load(0, 1)()
            }
            try store.close()
            try empty.close()
        }
    }
}
