import Catalog
import Imaging
import PipelineSupport
import Store
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

/// Runs that don't fit into the cache.
@Suite(.timeLimit(.minutes(1))) struct OverfullRunTests {
    private func serve(_ harness: Harness, _ ids: ClosedRange<Int>) {
        for id in ids {
            harness.serveShow(id)
            let picture = FixtureImages.jpeg(width: 120, height: 180, seed: UInt64(id))
            harness.origin.on("/original/\(id).jpg", .jpeg(picture))
        }
    }

    private func request(_ harness: Harness, _ ids: ClosedRange<Int>) -> WarmRequest {
        WarmRequest(
            .items(ids.map { harness.item($0) }), renditions: harness.levels, concurrency: 4)
    }

    private func run(_ harness: Harness, _ ids: ClosedRange<Int>) async throws -> WarmSummary {
        try await harness.pipeline.warm.run(request(harness, ids))
    }

    /// A run of shows in a cache whose limit of files is too small for their thumbnails.
    ///
    /// - Parameter earlier: the first shows, which an earlier run has made.
    private func overfull(
        _ count: Int, files: Int, earlier: Int = 0,
        agrees: @escaping @Sendable (WarmShortage) -> Bool = { _ in true }
    ) async throws -> (WarmSummary, asked: [WarmShortage], originals: Int) {
        let limits = DiskLimits(bytes: .max, files: files, minFree: 0)
        let asked = Mutex<[WarmShortage]>([])
        let originals = Mutex(0)
        let summary = Mutex(WarmSummary())
        try await withHarness(Harness(limits: limits)) { harness in
            serve(harness, 1...count)
            if earlier > 0 { _ = try await run(harness, 1...earlier) }
            let result = try await harness.pipeline.warm.run(
                request(harness, 1...count),
                agrees: { shortage in
                    asked.withLock { $0.append(shortage) }
                    return agrees(shortage)
                })
            summary.withLock { $0 = result }
            let pictures = harness.origin.log.requests.filter { $0.path.hasPrefix("/original/") }
            originals.withLock { $0 = pictures.count }
        }
        return (summary.withLock { $0 }, asked.withLock { $0 }, originals.withLock { $0 })
    }

    @Test func `a run ends when the cache begins to evict its pictures`() async throws {
        let (summary, asked, _) = try await overfull(200, files: 1_200)
        #expect(summary.evicted > 0)
        #expect(summary.left > 0)
        #expect(summary.items + summary.left == 200)
        #expect(asked.count == 1)
        let shortage = try #require(asked.first)
        #expect(summary.shortage == shortage)
        #expect((170...180).contains(shortage.items))
        // Each has an original and ten thumbnails.
        #expect(shortage.files == 11 * shortage.items)
        #expect(shortage.freeFiles < 1_000)
        #expect(!shortage.replacesOlder)
        #expect(shortage.basis == .firstPictures)
    }

    @Test func `a run says before its first picture that it doesn't fit, by what is stored`()
        async throws
    {
        let (summary, asked, originals) = try await overfull(150, files: 1_200, earlier: 25) { _ in
            false
        }
        let shortage = try #require(asked.first)
        #expect(asked.count == 1 && shortage.basis == .stored)
        #expect(shortage.items == 125 && shortage.files == 11 * 125)
        #expect((summary.items, summary.left) == (0, 150))
        #expect(originals == 25)
    }

    @Test func `a dry run tells what the result takes beside what is free`() async throws {
        let limits = DiskLimits(bytes: 1 << 30, files: 5_000, minFree: 0)
        try await withHarness(Harness(limits: limits)) { harness in
            serve(harness, 1...20)
            let blind = try await harness.pipeline.warm.forecast(request(harness, 1...2))
            #expect(blind.bytesStored == nil && blind.filesStored == nil)
            _ = try await run(harness, 1...20)
            let forecast = try await harness.pipeline.warm.forecast(request(harness, 20...22))
            #expect(forecast.filesStored == 22)
            #expect(try #require(forecast.bytesStored) > 22 * 2_048)
            #expect((1...4_780).contains(forecast.freeFiles))
            #expect(forecast.freeBytes < 1 << 30)
        }
    }

    @Test func `a run that doesn't fit ends after its first pictures unless its operator agrees`()
        async throws
    {
        let (summary, asked, originals) = try await overfull(120, files: 1_200) { _ in false }
        #expect(asked.count == 1)
        #expect((20...24).contains(summary.items))
        #expect(summary.items + summary.left == 120)
        #expect(summary.evicted == 0)
        #expect(originals == summary.items)
    }

    @Test func `a run that fits asks for nothing, and all of it stays`() async throws {
        let (summary, asked, _) = try await overfull(30, files: 5_000)
        #expect(asked.isEmpty)
        #expect((summary.items, summary.evicted, summary.left) == (30, 0, 0))
        #expect(summary.shortage == nil)
    }
}
