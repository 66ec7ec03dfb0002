import Catalog
import FoundationEssentials
import Imaging
import PipelineSupport
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1))) struct WarmerTests {
    private static let original = FixtureImages.jpeg(width: 400, height: 600, seed: 1)

    private func items(_ items: [Item]) -> AsyncThrowingStream<Item, any Error> {
        AsyncThrowingStream { continuation in
            items.forEach { continuation.yield($0) }
            continuation.finish()
        }
    }

    /// Every show has both pictures, each of its own.
    private func harness(_ count: Int) async throws -> Harness {
        let harness = try await Harness()
        for id in 1...count {
            harness.serveShow(id)
            let picture = FixtureImages.jpeg(width: 120, height: 180, seed: UInt64(id))
            harness.origin.on("/original/\(id).jpg", .jpeg(picture))
            harness.origin.on("/medium/\(id).jpg", .jpeg(picture))
        }
        return harness
    }

    private func run(
        _ harness: Harness, _ ids: [Int], concurrency: Int = 8
    ) async throws -> WarmSummary {
        let warmer = harness.pipeline.warm.warmer(
            renditions: harness.levels, concurrency: concurrency)
        return try await warmer.run(items(ids.map { harness.item($0) })) { _, _ in }
    }

    @Test func `a second run finds everything and downloads nothing`() async throws {
        try await withHarness(harness(12)) { harness in
            let first = try await run(harness, Array(1...12))
            #expect(first.items == 12)
            #expect(first.originals == 12)
            #expect(first.thumbnails == 120)
            #expect(first.bytesFetched > 12_000)
            let asked = harness.origin.log.requests.count
            try await harness.restart()
            let second = try await run(harness, Array(1...12))
            #expect(second.originals == 0)
            #expect(second.thumbnails == 0)
            #expect(second.reused == 120)
            #expect(harness.origin.log.requests.count == asked)
        }
    }

    @Test func `the summary counts fallbacks, placeholders and failures apart`() async throws {
        try await withHarness(harness(5)) { harness in
            harness.origin.on("/original/2.jpg", .status(404))
            for path in ["/original/3.jpg", "/medium/3.jpg"] {
                harness.origin.on(path, .status(404))
            }
            for path in ["/original/4.jpg", "/medium/4.jpg"] {
                harness.origin.on(path, .status(503))
            }
            for path in ["/original/5.jpg", "/medium/5.jpg"] {
                harness.origin.on(path, .html("<html></html>"))
            }
            let endings = Mutex<[String: WarmedItem.Ending]>([:])
            let warmer = harness.pipeline.warm.warmer(renditions: harness.levels, concurrency: 2)
            let stream = items((1...5).map { harness.item($0) })
            let summary = try await warmer.run(stream) { warmed, _ in
                endings.withLock { $0["\(warmed.item)"] = warmed.ending }
            }
            #expect(summary.items == 5)
            #expect(summary.fallbacks == 1)
            #expect(summary.placeholders == 2)
            #expect(summary.failed == 1)
            #expect(summary.originals == 2)
            let found = endings.withLock { $0 }
            #expect(found["tvmaze/show/1"] == .picture)
            #expect(
                found["tvmaze/show/4"]
                    == .failed(reason: "The origin answered 503 after 4 attempts."))
        }
    }

    @Test func `an item that is listed twice is warmed once`() async throws {
        try await withHarness(harness(1)) { harness async throws in
            #expect(try await run(harness, [1, 1, 1]).items == 1)
        }
    }

    @Test func `no more items are under way than asked for`() async throws {
        try await withHarness(harness(20)) { harness in
            _ = try await run(harness, Array(1...20), concurrency: 3)
            #expect(harness.origin.log.peak <= 3)
        }
    }

    @Test func `a list that breaks off lets the items under way end, then throws`() async throws {
        struct Broken: Error {}
        try await withHarness(harness(2)) { harness async throws in
            let stream = AsyncThrowingStream<Item, any Error> { continuation in
                continuation.yield(harness.item(1))
                continuation.yield(harness.item(2))
                continuation.finish(throwing: Broken())
            }
            let last = Mutex(WarmSummary())
            let warmer = harness.pipeline.warm.warmer(renditions: harness.levels, concurrency: 4)
            await #expect(throws: Broken.self) {
                try await warmer.run(stream) { _, summary in
                    last.withLock { if summary.items > $0.items { $0 = summary } }
                }
            }
            #expect(last.withLock { $0.items } == 2)
        }
    }
}
