import Foundation
import GRDB
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct IndexCountersTests {
    let scratch: StoreScratch
    let index: Index

    init() throws {
        scratch = try StoreScratch()
        index = try Index(root: scratch.path)
    }

    private func thumbnail(
        _ original: UInt8, _ level: String, _ format: String, _ digest: UInt8, bytes: Int
    ) -> ThumbnailRecord {
        let key = ThumbnailKey(
            original: Digest(of: [original]), level: level, format: format, recipe: "r")
        return ThumbnailRecord(
            key,
            PictureFacts(
                digest: Digest(of: [9, digest]), byteCount: bytes, width: 1, height: 1,
                renderedAt: Date(timeIntervalSince1970: 0)))
    }

    private func wrongCounters() async throws -> [String] {
        try await index.read { try IndexCounters.wrong($0) }
    }

    @Test func `thumbnails are counted by source, level and format`() async throws {
        try await index.record(
            thumbnails: [
                thumbnail(1, "m", "webp", 1, bytes: 10), thumbnail(1, "m", "jpeg", 2, bytes: 20),
                thumbnail(2, "m", "webp", 3, bytes: 40),
                thumbnail(3, "sheet-m", "webp", 4, bytes: 5),
            ],
            items: [.sample("tvmaze/show/1", "m", Digest(of: [1]))])
        func tally(_ source: String, _ level: String, _ format: String, _ bytes: Int)
            -> IndexStatistics.Tally
        {
            .init(source: source, level: level, format: format, thumbnails: 1, bytes: bytes)
        }
        #expect(
            try await index.statistics().tallies == [
                tally("", "m", "webp", 40), tally("sheet", "sheet-m", "webp", 5),
                tally("tvmaze", "m", "jpeg", 20), tally("tvmaze", "m", "webp", 10),
            ])
        // The first item that shows an original gives it its source.
        try await index.record(
            thumbnails: [], items: [.sample("tmdb/movie/1", "m", Digest(of: [2]))])
        #expect(
            try await index.statistics().tallies.map(\.source) == [
                "sheet", "tmdb", "tvmaze", "tvmaze",
            ])
        #expect(try await index.statistics().thumbnailBytes == 75)
        #expect(try await wrongCounters().isEmpty)
    }

    @Test func `the oldest thumbnail is known without reading all rows`() async throws {
        #expect(try await index.statistics().oldest == nil)
        for (number, seconds) in [(UInt8(1), 500.0), (2, 300), (3, 900)] {
            var record = thumbnail(number, "m", "webp", number, bytes: 1)
            record.facts.renderedAt = Date(timeIntervalSince1970: seconds)
            try await index.record(thumbnails: [record])
        }
        #expect(try await index.statistics().oldest == Date(timeIntervalSince1970: 300))
    }

    @Test func `bytes of equal pictures are saved once for each row more`() async throws {
        try await index.record(
            thumbnails: [
                thumbnail(1, "m", "webp", 1, bytes: 10), thumbnail(2, "m", "webp", 1, bytes: 10),
                thumbnail(3, "m", "webp", 1, bytes: 10), thumbnail(4, "m", "webp", 2, bytes: 7),
            ])
        #expect(try await index.statistics().savedBytes == 20)
        try await index.record(.sample("https://a/1", Digest(of: [1])))
        try await index.record(.sample("https://a/2", Digest(of: [1])))
        #expect(try await index.statistics().savedBytes == 20 + 99)
        // One of the three is another picture now.
        try await index.record(
            thumbnails: [thumbnail(3, "m", "webp", 2, bytes: 7)])
        #expect(try await index.statistics().savedBytes == 10 + 7 + 99)
        #expect(try await wrongCounters().isEmpty)
    }

    @Test(arguments: [UInt64(1), 2])
    func `counters are right after any writes and removals`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<150 {
            let original = UInt8.random(in: 0..<8, using: &random)
            let level = ["m", "l", "sheet-m"].randomElement(using: &random) ?? "m"
            let blob = UInt8.random(in: 0..<6, using: &random)
            let item = "a/b/\(UInt8.random(in: 0..<6, using: &random))"
            switch Int.random(in: 0..<7, using: &random) {
            case 0...1:
                try await index.record(
                    thumbnails: [thumbnail(original, level, "webp", blob, bytes: Int(blob) * 10)],
                    items: [
                        .sample(item, level, original == 0 ? nil : Digest(of: [original]))
                    ])
            case 2: try await index.record(.sample("u\(original)", Digest(of: [blob])))
            case 3:
                var failed = OriginalRecord(url: "u\(blob)", fetchedAt: day(1), freshUntil: day(1))
                failed.failure = FailureRecord(kind: "absent", reason: "404", until: day(2))
                try await index.record(failed)
            case 4:
                try await index.record(documents: [
                    DocumentRecord(
                        key: "\(blob)", body: Array(repeating: 1, count: Int(original)),
                        fetchedAt: day(1), expiresAt: day(2))
                ])
            case 5:
                try await index.record(
                    QuarantineRecord(
                        original: Digest(of: [original]), recipe: "r", reason: "", at: day(1)))
            default:
                _ = try await index.purge(
                    PurgeRequest(
                        items: .item(item), expiry: nil, documents: DocumentKeys(["\(blob)"])))
            }
            #expect(try await wrongCounters().isEmpty)
        }
        let blobs = try BlobStore(root: scratch.path)
        _ = try await index.verify(against: blobs, repair: true)
        #expect(try await wrongCounters().isEmpty)
        #expect(try await index.statistics().thumbnails == 0)
    }

    @Test func `originals that do no harm take no place of dangerous ones, and are counted apart`()
        async throws
    {
        let most = QuarantineRecord.capacity
        try await index.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO quarantine SELECT randomblob(32), 'r', '', i FROM n
                    """, arguments: [most])
        }
        for (number, recipe) in [QuarantineRecord.harmless + "r", "r"].enumerated() {
            try await index.record(
                QuarantineRecord(
                    original: Digest(of: [UInt8(number)]), recipe: recipe, reason: "", at: day(1)))
            #expect(try await index.statistics().dangerous == most)
        }
        for number in 0...1 as ClosedRange<UInt8> {
            #expect(try await index.quarantined(Digest(of: [number])) != nil)
        }
    }

    @Test func `wrong counters are reported, and repair counts again`() async throws {
        try await index.record(
            thumbnails: [],
            items: [.sample("a/b/1", "m", nil), .sample("a/b/2", "m", nil)])
        try await index.write { database in
            try database.execute(sql: "UPDATE totals SET items = 7, savedBytes = 1")
            try database.execute(sql: "INSERT INTO tallies VALUES ('a', 5, 1, 1)")
        }
        let blobs = try BlobStore(root: scratch.path)
        let report = try await index.verify(against: blobs, repair: true)
        #expect(report.miscounted == ["items", "savedBytes", "thumbnails"])
        #expect(try await index.statistics().items == 2)
        #expect(try await index.verify(against: blobs, repair: false) == IndexVerification())
    }

    @Test func `a resolution goes with its last level, and an item with its last resolution`()
        async throws
    {
        let digest = Digest(of: [1])
        func late(_ level: String) -> ItemRecord {
            var resolution = ItemRecord.Resolution.sample(level, digest)
            resolution.resolvedAt = day(5)
            return ItemRecord("a/b/1", [resolution])
        }
        try await index.record(
            thumbnails: [],
            items: [
                .sample("a/b/1", "m", digest), .sample("a/b/1", "s", digest), late("l"),
                .sample("a/b/2", "m", nil),
            ])
        func rows() async throws -> [Int] {
            try await index.read { database in
                try ["items", "resolutions"].map { table in
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? -1
                }
            }
        }
        // Two levels share one.
        #expect(try await rows() == [2, 3])
        try await index.record(items: [late("m")])
        #expect(try await rows() == [2, 3])
        try await index.record(items: [late("s")])
        #expect(try await rows() == [2, 2])
        _ = try await index.purge(
            PurgeRequest(
                items: .source("a"), expiry: nil, documents: .none))
        #expect(try await rows() == [0, 0])
    }

    @Test func `sweeping removes unused pictures and renditions in steps and gives pages back`()
        async throws
    {
        for number in 0..<200 {
            var record = thumbnail(0, "m\(number % 3)", "webp", 1, bytes: 1)
            record.key.original = Digest(of: Array("\(number)".utf8))
            try await index.record(
                summaries: [
                    SummaryRecord(
                        original: record.key.original, thumbHash: [1], color: "#000000", width: 1,
                        height: 1)
                ], thumbnails: [record])
        }
        let before = try await index.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        try await index.write { database in
            try database.execute(sql: "DELETE FROM thumbnails WHERE picture > 20")
        }
        var steps = 0
        var place: Int64?
        repeat {
            place = try await index.sweep(after: place, limit: 50)
            steps += 1
        } while place != nil
        #expect(steps == 5)
        let after = try await index.read { try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0 }
        #expect(after < before)
        for count in ["count(*)", "count(thumbHash)"] {
            let sql = "SELECT \(count) FROM pictures"
            #expect(try await index.read { try Int.fetchOne($0, sql: sql) } == 20)
        }
        #expect(try await index.statistics().thumbnails == 20)
    }
}
