import FoundationEssentials
import Glibc
import Hashing
import Testing

@testable import Store

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
