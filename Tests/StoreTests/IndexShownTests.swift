import FoundationEssentials
import Glibc
import Hashing
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1))) struct IndexShownTests {
    private let scratch: StoreScratch
    private let index: Index
    private let day = Date(timeIntervalSince1970: 86_400)

    init() throws {
        scratch = try StoreScratch()
        index = try Index(root: scratch.path)
    }

    private func thumbnail(
        _ original: Digest, _ level: String, _ format: String, _ width: Int, recipe: String = "r"
    ) -> ThumbnailRecord {
        ThumbnailRecord(
            ThumbnailKey(original: original, level: level, format: format, recipe: recipe),
            PictureFacts(
                digest: Digest(of: Array("\(original.hex)\(level)\(format)".utf8)), byteCount: 9,
                width: width, height: 2 * width, renderedAt: day))
    }

    private func record(_ item: String, _ level: String, _ original: Digest?) -> ItemRecord {
        ItemRecord(item, [resolution([level], original)])
    }

    private func resolution(_ levels: [String], _ original: Digest?) -> ItemRecord.Resolution {
        .init(
            levels: levels, original: original, url: nil,
            failure: original == nil
                ? FailureRecord(kind: "absent", reason: "none", until: day) : nil,
            trace: nil, resolvedAt: day, freshUntil: day)
    }

    private func summary(_ original: Digest, _ color: String = "#010203") -> SummaryRecord {
        SummaryRecord(
            original: original, thumbHash: [1, 2, 0, 255], color: color, width: 300, height: 601)
    }

    @Test func `one query returns the pictures of many items`() async throws {
        let (one, two) = (Digest(of: [1]), Digest(of: [2]))
        try await index.record(
            summaries: [summary(one)],
            thumbnails: [
                thumbnail(one, "s", "webp", 10), thumbnail(one, "s", "jpeg", 10),
                thumbnail(one, "m", "webp", 20),
            ],
            items: [
                record("a/b/\"1", "s", one), record("a/b/\"1", "m", one),
                // No level of this one is rendered.
                record("a/b/2", "s", two), record("a/b/3", "s", nil),
            ])
        let shown = try await index.shown(items: ["a/b/2", "a/b/\"1", "a/b/3", "a/b/4"])
        #expect(
            shown.sorted { $0.level < $1.level } == [
                ShownRecord(
                    item: "a/b/\"1", level: "m", width: 20, height: 40, summary: summary(one)),
                ShownRecord(
                    item: "a/b/\"1", level: "s", width: 10, height: 20, summary: summary(one)),
            ])
        #expect(try await index.shown(items: []).isEmpty)
    }

    @Test func `a tile has the thumbnail of a format or the reason why there is none`() async throws
    {
        let one = Digest(of: [1])
        let wanted = thumbnail(one, "s", "webp", 10)
        try await index.record(
            thumbnails: [
                wanted, thumbnail(one, "s", "jpeg", 10),
                thumbnail(one, "s", "webp", 11, recipe: "q"),
            ],
            items: [
                record("i/1", "s", one), record("i/1", "m", one), record("i/2", "s", nil),
            ])
        let tiles = try await index.tiles(
            items: ["i/1", "i/2", "i/3"], level: "s", format: "webp", recipe: "r")
        #expect(
            tiles.sorted { $0.item < $1.item } == [
                TileRecord(
                    item: "i/1", resolution: resolution(["m", "s"], one), thumbnail: wanted),
                TileRecord(item: "i/2", resolution: resolution(["s"], nil), thumbnail: nil),
            ])
    }

    @Test func `the first summary of an original stays, until its blob is gone`() async throws {
        let one = Digest(of: [1])
        #expect(try await index.summary(of: one) == nil)
        try await index.record(
            summaries: [summary(one)], thumbnails: [thumbnail(one, "s", "webp", 10)],
            items: [record("i", "s", one)])
        try await index.record(summaries: [summary(one, "#ffffff")])
        #expect(try await index.shown(items: ["i"]).first?.summary == summary(one))
        _ = try await index.verify(against: BlobStore(root: scratch.path), repair: true)
        #expect(try await index.summary(of: one) == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct IndexSizeTests {
    /// Items of a catalog of TV shows, each with a picture at four levels.
    private static let items = 1_000
    private static let levels = ["s:160x240", "m:320x480", "l:640x960", "xl:1280x1920"]

    /// Adds what a miss stores of an item.
    private func add(_ number: Int, to change: inout IndexChange) {
        let (item, original) = ("tvmaze/show/\(number)", Digest(of: Array("\(number)".utf8)))
        let url = "https://static.example.org/uploads/images/original_untouched/7/\(number).jpg"
        var record = OriginalRecord.sample(url, original)
        record.entityTag = "\"5f3759df5f3759df\""
        change.originals.append(record)
        change.summaries.append(
            SummaryRecord(
                original: original, thumbHash: [UInt8](repeating: 7, count: 24),
                color: "#405060", width: 1_400, height: 2_100))
        let trace = #"""
            {"steps":[{"label":"catalog \#(item)","note":"asked","outcome":"followed"},\#
            {"label":"original","note":"200","outcome":"chosen","url":"\#(url)"}],\#
            "walkedAt":785000000.123456}
            """#
        for level in Self.levels {
            let key = ThumbnailKey(
                original: original, level: level, format: "webp", recipe: "webp q80 m4")
            change.thumbnails.append(.sample(key, Digest(of: Array("\(number) \(level)".utf8))))
        }
        var resolution = ItemRecord.Resolution.sample("", original)
        resolution.levels = Self.levels.sorted()
        (resolution.url, resolution.trace) = (url, StoredTrace(bytes: Array(trace.utf8)))
        change.items.append(ItemRecord(item, [resolution]))
    }

    @Test func `a thumbnail takes at most 300 bytes of the index`() async throws {
        let scratch = try StoreScratch()
        let index = try Index(root: scratch.path)
        for first in stride(from: 0, to: Self.items, by: 250) {
            var change = IndexChange()
            for number in first..<first + 250 { add(number, to: &change) }
            try await index.keep(change)
        }
        try index.close()
        let status = try #require(try fileStatus(scratch.path + "/v2/index/pictures.sqlite"))
        #expect(Int(status.st_size) / (Self.items * Self.levels.count) <= 300)
    }
}
