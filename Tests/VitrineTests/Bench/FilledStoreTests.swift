import TestSupport
import Testing

@testable import vitrine

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
                index: store.index, ungrouped: store.ungrouped, digests: store.digests.reversed(),
                indexBytes: 0)
            await #expect(throws: CommandError("A blob has other bytes than were put.")) {
                try await exchanged.load(0, 0)()
            }
            // Only one in 64 is compared.
            try await exchanged.load(0, 1)()
            try store.close()
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
                ungrouped: empty.ungrouped, digests: store.digests, indexBytes: 0)
            await #expect(throws: CommandError("A blob is missing.")) {
                try await wrong.load(0, 1)()
            }
            try store.close()
            try empty.close()
        }
    }
}
