import Store
import Synchronization
import TestSupport
import Testing

@testable import Console
@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct FilledStoreTests {
    @Test func `a store that was kept is taken as it is, and no other`() async throws {
        try await withScratchDirectory { directory in
            let root = "\(directory)/store"
            let fills = Mutex(0)
            func store(seed: UInt64) async throws -> FilledStore {
                try await FilledStore.at(root, .init(entries: 40, seed: seed)) { _ in
                    fills.withLock { $0 += 1 }
                }
            }
            let first = try await store(seed: 1)
            try first.close()
            let again = try await store(seed: 1)
            #expect(fills.withLock(\.self) == 1)
            #expect(again.indexBytes > 0)
            for number in 0..<40 {
                let row = try #require(try await again.index.thumbnail(again.key(number)))
                let blob = FilledStore.blob(number, seed: 1)
                #expect(try await again.blobs.load(row.facts.digest) == blob)
            }
            try again.close()
            await #expect(throws: CommandError.self) { _ = try await store(seed: 2) }
        }
    }
}
