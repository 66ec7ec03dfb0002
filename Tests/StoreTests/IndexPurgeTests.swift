import Foundation
import Hashing
import Testing

@testable import Store

/// Two shows with a picture each, and a poster that shows the first one's.
@Suite(.timeLimit(.minutes(1)))
struct IndexPurgeTests {
    let scratch: StoreScratch
    let index: Index
    private let first = Digest(of: [1])
    private let second = Digest(of: [2])

    init() throws {
        scratch = try StoreScratch()
        index = try Index(root: scratch.path)
    }

    private func fill() async throws {
        try await index.record(OriginalRecord.sample("https://a/1", first))
        try await index.record(OriginalRecord.sample("https://a/2", second))
        var failed = OriginalRecord(url: "https://a/broken", fetchedAt: day(1), freshUntil: day(2))
        failed.failure = FailureRecord(kind: "rejected", reason: "broken", until: day(9))
        try await index.record(failed)
        try await index.record(
            thumbnails: [
                thumbnail(first, 11), thumbnail(second, 12),
                thumbnail(Digest(of: [3]), 13, "sheet-m"),
            ],
            items: [
                shown("tvmaze/show/1", first), shown("tvmaze/poster/1", first),
                shown("tmdb/movie/1", second),
            ])
        try await index.record(documents: [
            DocumentRecord(
                key: "item:tvmaze/show/1", body: [1], fetchedAt: day(1), expiresAt: day(9)),
            DocumentRecord(
                key: "item:tmdb/movie/1", body: [1], fetchedAt: day(1), expiresAt: day(9)),
        ])
    }

    private func thumbnail(_ original: Digest, _ byte: UInt8, _ level: String = "m")
        -> ThumbnailRecord
    {
        var key = ThumbnailKey.sample()
        key.original = original
        key.level = level
        return ThumbnailRecord.sample(key, Digest(of: [byte]))
    }

    /// An item whose first candidate was broken.
    private func shown(_ item: String, _ original: Digest) -> ItemRecord {
        var trace = Trace(resolvedAt: day(1))
        trace.steps = [
            .init(label: "first", url: "https://a/broken", outcome: .failed, note: "broken")
        ]
        var resolution = ItemRecord.Resolution.sample("m:1x1", original)
        resolution.trace = StoredTrace(trace)
        resolution.freshUntil = day(9)
        return ItemRecord(item, [resolution])
    }

    private func purge(_ items: PurgeRequest.Items, _ expiry: Date?) async throws
        -> IndexPurge
    {
        try await index.purge(
            PurgeRequest(
                items: items, expiry: expiry, documents: DocumentKeys(["item:tvmaze/show/1"])))
    }

    @Test func `a hard purge removes the picture for all items and every sheet`()
        async throws
    {
        try await fill()
        let purge = try await purge(.item("tvmaze/show/1"), nil)
        #expect(purge.items == ["tvmaze/show/1", "tvmaze/poster/1"])
        #expect(purge.thumbnails == 2)
        #expect(purge.originals == 2)
        #expect(purge.documents == 1)
        #expect(
            Set(purge.orphans) == [first, Digest(of: [11]), Digest(of: [13])])
        #expect(try await index.item("tvmaze/poster/1").resolutions.isEmpty)
        #expect(try await index.original(url: "https://a/broken") == nil)
        #expect(try await index.original(url: "https://a/2") != nil)
        #expect(try await index.document("item:tmdb/movie/1") != nil)
        #expect(try await index.thumbnails(of: second).count == 1)
    }

    @Test func `a soft purge keeps everything as stale`() async throws {
        try await fill()
        let purge = try await purge(.item("tvmaze/show/1"), day(3))
        #expect(purge.items == ["tvmaze/show/1"])
        #expect(purge.orphans.isEmpty)
        let shown = try #require(try await index.item("tvmaze/show/1").resolutions.first)
        #expect(shown.freshUntil == day(3))
        #expect(try await index.original(url: "https://a/broken")?.failure?.until == day(3))
        #expect(try await index.document("item:tvmaze/show/1")?.expiresAt == day(3))
        #expect(try await index.document("item:tmdb/movie/1")?.expiresAt == day(9))
        #expect(try await index.item("tvmaze/poster/1").resolutions.first?.freshUntil == day(9))
    }

    @Test func `the purge of a source spares sources with longer names`() async throws {
        try await fill()
        #expect(try await purge(.source("tvmaze"), nil).items.count == 2)
        #expect(try await purge(.source("tm"), nil).items.isEmpty)
        #expect(try await index.item("tmdb/movie/1").resolutions.count == 1)
    }

    @Test(arguments: [
        (DocumentKeys(["item:tmdb/movie/1"]), ["item:tvmaze/show/1"]),
        (DocumentKeys(["item:tmdb/movie/2"]), ["item:tmdb/movie/1", "item:tvmaze/show/1"]),
        (DocumentKeys(beginnings: ["item:tvmaze/"]), ["item:tmdb/movie/1"]),
        (DocumentKeys(beginnings: ["item:tv/"]), ["item:tmdb/movie/1", "item:tvmaze/show/1"]),
        (DocumentKeys(["item:tmdb/movie/1"], beginnings: ["item:tvmaze/"]), []),
        (.all, []),
        (.none, ["item:tmdb/movie/1", "item:tvmaze/show/1"]),
    ])
    func `a purge takes along the documents that it names, and those that begin alike`(
        documents: DocumentKeys, left: [String]
    ) async throws {
        try await fill()
        let purge = try await index.purge(
            PurgeRequest(items: .item("tvmaze/show/9"), expiry: nil, documents: documents))
        #expect(purge.documents == 2 - left.count)
        #expect(try await index.documentKeys(beginning: "item:").sorted() == left)
        #expect(try await index.documentKeys(beginning: "page:").isEmpty)
    }

    @Test func `a purge of all leaves no row that refers to a blob`() async throws {
        try await fill()
        let purge = try await purge(.all, nil)
        #expect(purge.orphans.count == 5)
        let left = try await index.statistics()
        #expect(left.items == 0)
        #expect(left.originals == 0)
        #expect(left.failures == 0)
        #expect(left.thumbnails == 0)
    }

    @Test(arguments: [PurgeRequest.Items.item("tvmaze/show/1"), .source("tvmaze"), .all])
    func `a purge removes bytes that arrived for a picture and were not rendered`(
        items: PurgeRequest.Items
    ) async throws {
        try await fill()
        let arrived = Digest(of: [9])
        try await index.record(OriginalRecord.sample("https://a/1#new", arrived))
        var request = PurgeRequest(
            items: items, expiry: nil, documents: .none, besideMark: "#new")
        let purge = try await index.purge(request)
        #expect(purge.orphans.contains(arrived))
        #expect(try await index.original(url: "https://a/1#new") == nil)
        // Those of other items stay.
        try await index.record(OriginalRecord.sample("https://a/2#new", arrived))
        request.items = .item("tvmaze/show/1")
        _ = try await index.purge(request)
        #expect(try await index.original(url: "https://a/2#new") != nil)
    }

    @Test func `a blob that another picture uses stays`() async throws {
        try await fill()
        try await index.record(thumbnails: [thumbnail(second, 11)])
        #expect(
            try await purge(.item("tvmaze/show/1"), nil).orphans.contains(Digest(of: [11]))
                == false)
    }
}
