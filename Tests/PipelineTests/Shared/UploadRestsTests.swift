import Catalog
import Foundation
import Objects
import PipelineSupport
import Store
import TestSupport
import Testing

@testable import Pipeline

/// Decisions only: no store, no clock.
@Suite(.timeLimit(.minutes(1))) struct UploadRestsTests {
    private let start = Date(timeIntervalSince1970: 1_000_000)

    @Test func `an item that fails while others are stored is given up after a bounded time`() {
        var rests = UploadRests()
        var now = start
        var verdicts: [UploadRests.Verdict] = []
        // The first failure may be the store's.
        for _ in 0...UploadRests.mostAttempts {
            verdicts.append(rests.failed("bad", isLasting: false, at: now))
            #expect(verdicts.last == .giveUp || !rests.isDue("bad", at: now))
            rests.succeeded("good \(verdicts.count)")
            now += UploadRests.longestRest
            #expect(rests.isDue("bad", at: now))
        }
        #expect(verdicts.first == .tryLater && verdicts[1] == .isAtFault)
        #expect(verdicts[2..<UploadRests.mostAttempts].allSatisfy { $0 == .tryLater })
        #expect(verdicts.last == .giveUp)
        #expect(rests.count == 0)
    }

    @Test func `no item is given up while the store takes nothing`() {
        var rests = UploadRests()
        for attempt in 0..<100 {
            let now = start + Double(attempt) * UploadRests.longestRest
            #expect(rests.failed("a", isLasting: false, at: now) == .tryLater)
        }
        #expect(rests.isStoreAtFault)
        rests.succeeded("b")
        #expect(!rests.isStoreAtFault)
        // The store is back, so the next upload starts at once.
        #expect(rests.isDue("a", at: start))
    }

    @Test func `a rest ends although the clock was set back`() {
        var rests = UploadRests()
        _ = rests.failed("a", isLasting: false, at: start + 365 * 86_400)
        #expect(rests.isDue("a", at: start))
    }

    @Test func `no more items rest than there is room for`() {
        var rests = UploadRests()
        for number in 0..<UploadRests.mostItems {
            #expect(rests.isDue("\(number)", at: start))
            _ = rests.failed("\(number)", isLasting: false, at: start)
        }
        #expect(!rests.isDue("another", at: start))
        #expect(rests.isDue("1", at: start + UploadRests.firstRest))
    }
}

/// When sources were purged from the shared store, by clocks that differ.
@Suite(.timeLimit(.minutes(1))) struct VoidsTests {
    private static let start = Date(timeIntervalSince1970: 1_700_000_000)
    private static let year: TimeInterval = 365 * 86_400
    private let item = Item(source: "tvmaze", kind: "show", id: "1")

    private func shared(_ objects: FaultyObjects) -> SharedObjects {
        SharedObjects(
            objects, patience: .seconds(600), metrics: PipelineMetrics(),
            logger: Harness.silentLogger)
    }

    @Test func `a purge has the store's date, and not that of a node whose clock is ahead`()
        async throws
    {
        let objects = FaultyObjects(time: { Self.start })
        let (ahead, reader) = (Voids { Self.start + Self.year }, Voids { Self.start })
        try await ahead.add("tvmaze", at: Self.start + Self.year, shared(objects))
        for voids in [ahead, reader] {
            let date = try #require(await voids.date(of: item, shared(objects)))
            #expect((Self.start...Self.start + 2).contains(date))
        }
    }

    @Test func `milliseconds of a node count where the store has seconds`() async throws {
        let objects = FaultyObjects(time: { Self.start })
        let voids = Voids { Self.start }
        try await voids.add(nil, at: Self.start + 0.25, shared(objects))
        #expect(try await voids.date(of: item, shared(objects)) == Self.start + 0.25)
    }

    @Test func `a purge from the future is ignored, and the next one replaces it`() async throws {
        // This store doesn't say when its objects were written.
        let objects = FaultyObjects()
        let ahead = Voids { Self.start + Self.year }
        try await ahead.add("tvmaze", at: Self.start + Self.year, shared(objects))
        let reader = Voids { Self.start }
        #expect(try await reader.date(of: item, shared(objects)) == nil)
        try await reader.add("tvmaze", at: Self.start + 10, shared(objects))
        #expect(objects.objects.keys.sorted() == ["p/tvmaze/1700000010000"])
        let other = Voids { Self.start + 20 }
        #expect(try await other.date(of: item, shared(objects)) == Self.start + 10)
    }

    @Test func `a purge removes earlier ones and leaves one that another node makes meanwhile`()
        async throws
    {
        let objects = FaultyObjects()
        let voids = Voids { Self.start }
        for seconds in [0.0, 5, 3] {
            try await voids.add("tvmaze", at: Self.start + seconds, shared(objects))
        }
        #expect(
            objects.objects.keys.sorted() == ["p/tvmaze/1700000003000", "p/tvmaze/1700000005000"])
        #expect(try await Voids { Self.start }.date(of: item, shared(objects)) == Self.start + 5)
    }

    @Test func `what claims to be resolved in the future counts as purged`() {
        var reference = ItemReference(ItemRecord(item.description))
        for seconds in [-10.0, 5, Self.year] {
            reference.record.resolutions.append(
                .init(
                    levels: ["m"], original: nil, url: nil, failure: nil, trace: nil,
                    resolvedAt: Self.start + seconds, freshUntil: Self.start))
        }
        reference.remove(purgedAt: Self.start, now: Self.start + 10)
        #expect(reference.record.resolutions.map(\.resolvedAt) == [Self.start + 5])
    }
}
