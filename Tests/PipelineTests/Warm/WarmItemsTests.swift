import Catalog
import PipelineSupport
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

/// The list of a run while it is read.
@Suite(.timeLimit(.minutes(1))) struct WarmItemsTests {
    /// A list that is read in pieces, and how many of them were.
    private final class Pieces: Sendable {
        let read = Mutex(0)
        let pieces: [[Item]]

        init(_ pieces: [[Item]]) { self.pieces = pieces }

        var request: WarmRequest {
            WarmRequest(
                .stream { [self] in
                    {
                        let number = self.read.withLock { read in
                            defer { read += 1 }
                            return read
                        }
                        return number < self.pieces.count ? self.pieces[number] : nil
                    }
                }, renditions: [], concurrency: 1)
        }
    }

    private static func items(_ ids: Range<Int>) -> [Item] {
        ids.map { Item(source: "a", kind: "b", id: "\($0)") }
    }

    @Test func `a list is read ahead of its run, but not far`() async throws {
        let pieces = Pieces((0..<10).map { Self.items($0 * 400..<$0 * 400 + 400) })
        try await withHarness { harness in
            try await harness.pipeline.warm.items(of: pieces.request) { items in
                // A thousand are ahead.
                await eventually { items.listed.count == 1_200 }
                #expect(items.total == nil)
                var taken: [Item] = []
                for try await item in items {
                    taken.append(item)
                    #expect(items.listed.waiting <= 2 * 1_200)
                }
                #expect(taken == Self.items(0..<4_000))
                #expect(items.total == 4_000 && items.listed.waiting == 0)
            }
        }
    }

    @Test func `the reading ends with the run`() async throws {
        let pieces = Pieces((0..<10).map { Self.items($0 * 400..<$0 * 400 + 400) })
        try await withHarness { harness in
            let first = try await harness.pipeline.warm.items(of: pieces.request) { items in
                try await items.first { _ in true }
            }
            #expect(first == Self.items(0..<1).first)
            #expect(pieces.read.withLock { $0 } < 10)
        }
    }

    @Test func `a canceled run waits for no item`() async throws {
        let gate = Gate()
        let request = WarmRequest(
            .stream {
                {
                    await gate.wait()
                    return nil
                }
            }, renditions: [], concurrency: 1)
        try await withHarness { harness in
            let warm = harness.pipeline.warm
            let running = Task {
                try await warm.items(of: request) { items in
                    for try await _ in items {}
                    Issue.record("The list has ended.")
                }
            }
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }
    }
}
