import FoundationEssentials
import Hashing
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct IndexAgingTests {
    let scratch: StoreScratch
    let index: Index
    private let picture = Digest(of: [1])

    init() throws {
        scratch = try StoreScratch()
        index = try Index(root: scratch.path)
    }

    private func failed(_ item: String, until: Int) -> ItemRecord {
        var resolution = ItemRecord.Resolution.sample("m:1x1", nil)
        resolution.failure = FailureRecord(kind: "absent", reason: "none", until: day(until))
        resolution.freshUntil = day(until)
        return ItemRecord(item, [resolution])
    }

    private func all(before cutoff: Int, limit: Int) async throws -> Int {
        var removed = 0
        var aging = IndexAging()
        repeat {
            aging = try await index.age(before: day(cutoff), after: aging, limit: limit)
            removed += aging.removed
        } while !aging.isDone
        return removed
    }

    @Test(arguments: [1, 2, 1_000])
    func `failures and documents that expired long ago go, others stay`(limit: Int) async throws {
        try await index.record(
            items: [failed("a/b/1", until: 2), failed("a/b/2", until: 9)])
        for (url, until) in [("https://a/1", 2), ("https://a/2", 9)] {
            var original = OriginalRecord(url: url, fetchedAt: day(1), freshUntil: day(1))
            original.failure = FailureRecord(kind: "absent", reason: "404", until: day(until))
            try await index.record(original)
        }
        try await index.record(
            documents: [("old", 2), ("new", 9)].map {
                DocumentRecord(key: $0.0, body: [1], fetchedAt: day(1), expiresAt: day($0.1))
            })
        #expect(try await all(before: 5, limit: limit) == 3)
        #expect(try await index.item("a/b/1").resolutions.isEmpty)
        #expect(try await index.item("a/b/2").resolutions.count == 1)
        #expect(try await index.original(url: "https://a/1") == nil)
        #expect(try await index.original(url: "https://a/2") != nil)
        #expect(try await index.document("old") == nil)
        #expect(try await index.document("new") != nil)
        let statistics = try await index.statistics()
        #expect(statistics.items == 1)
        #expect(statistics.documents == 1)
        #expect(try await all(before: 5, limit: limit) == 0)
    }

    @Test func `an original that was never fresh stays as long as one that was fresh at first`()
        async throws
    {
        for (number, fetched) in [(1, 2), (2, 9)] {
            var original = OriginalRecord.sample("https://a/\(number)", Digest(of: [9]))
            original.fetchedAt = day(fetched)
            original.freshUntil = Date(timeIntervalSince1970: 0)
            try await index.record(original)
        }
        #expect(try await all(before: 5, limit: 10) == 1)
        #expect(try await index.original(url: "https://a/1") == nil)
        #expect(try await index.original(url: "https://a/2") != nil)
    }

    @Test func `a picture stays known as long as it has a thumbnail`() async throws {
        var key = ThumbnailKey.sample()
        key.original = picture
        var original = OriginalRecord.sample("https://a/1", picture)
        original.freshUntil = day(2)
        var resolution = ItemRecord.Resolution.sample(key.level, picture)
        resolution.freshUntil = day(2)
        try await index.record(original)
        try await index.record(
            thumbnails: [ThumbnailRecord.sample(key, Digest(of: [2]))],
            items: [ItemRecord("a/b/1", [resolution])])
        #expect(try await all(before: 5, limit: 10) == 0)
        try await index.forget(thumbnails: [Digest(of: [2])])
        // The URL goes after the last item that shows its picture.
        #expect(try await all(before: 5, limit: 10) == 2)
        #expect(try await index.item("a/b/1").resolutions.isEmpty)
        #expect(try await index.original(url: "https://a/1") == nil)
        #expect(try await index.uses(of: [picture]).isEmpty)
    }
}
