import Foundation
import GRDB
import Hashing
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct IndexTests {
    let scratch: StoreScratch
    let index: Index

    init() throws {
        scratch = try StoreScratch()
        index = try Index(root: scratch.path)
    }

    @Test func `the mark changes with each change of another process, and not with reads`()
        async throws
    {
        let scratch = try StoreScratch()
        let (one, two) = (try Index(root: scratch.path), try Index(root: scratch.path))
        try await one.record(OriginalRecord.sample("https://a/1", Digest(of: [1])))
        // A change now might not show in the times.
        #expect(one.mark(at: 0) == nil)
        let first = try #require(one.mark(at: .max))
        _ = try await two.original(url: "https://a/1")
        #expect(one.mark(at: .max) == first)
        try await two.record(OriginalRecord.sample("https://a/2", Digest(of: [2])))
        #expect(one.mark(at: .max) != first)
    }

    @Test func `every kind of record is returned, also after reopening`() async throws {
        let original = OriginalRecord.sample("https://a/1", Digest(of: [1]))
        var failed = OriginalRecord(url: "https://a/2", fetchedAt: day(1), freshUntil: day(2))
        failed.failure = FailureRecord(kind: "absent", reason: "404", until: day(3))
        let thumbnail = ThumbnailRecord.sample(.sample(), Digest(of: [2]))
        let shown = ItemRecord.Resolution.sample("m:1x1", Digest(of: [1]))
        var unbound = ItemRecord.Resolution.sample("s:1x1", nil)
        unbound.failure = FailureRecord(kind: "unavailable", reason: "é \u{1F5BC}", until: day(4))
        unbound.url = nil
        unbound.trace = nil
        let document = DocumentRecord(
            key: "page", body: [0, 255, 10], fetchedAt: day(1), expiresAt: day(2))
        try await index.record(original)
        try await index.record(failed)
        try await index.record(
            thumbnails: [thumbnail], items: [ItemRecord("tvmaze/show/1", [shown, unbound])])
        try await index.record(documents: [document])
        try index.close()

        let index = try Index(root: scratch.path)
        #expect(!index.wasRebuilt)
        #expect(try await index.original(url: "https://a/1") == original)
        #expect(try await index.original(url: "https://a/2") == failed)
        #expect(try await index.thumbnail(thumbnail.key) == thumbnail)
        #expect(try await index.item("tvmaze/show/1").resolution(of: "m:1x1") == shown)
        #expect(try await index.item("tvmaze/show/1").resolutions == [shown, unbound])
        #expect(try await index.document("page") == document)
        var counts = IndexStatistics()
        counts.originals = 1
        counts.failures = 1
        counts.thumbnails = 1
        counts.items = 1
        counts.documents = 1
        counts.originalBytes = original.byteCount
        counts.thumbnailBytes = thumbnail.facts.byteCount
        counts.documentBytes = document.body.count
        counts.oldest = thumbnail.facts.renderedAt
        counts.tallies = [
            // No item shows its original.
            IndexStatistics.Tally(
                source: "", level: "m:320x480", format: "webp", thumbnails: 1,
                bytes: thumbnail.facts.byteCount)
        ]
        #expect(try await index.statistics() == counts)
    }

    @Test func `levels that were resolved together share a row, whatever is between them`()
        async throws
    {
        let (one, two) = (Digest(of: [1]), Digest(of: [2]))
        let all = [("1", "m:1x1"), ("1", "s:1x1"), ("2", "m:1x1"), ("1", "xs:1x1")].map {
            ItemRecord.sample("tvmaze/show/\($0)", $1, $0 == "1" ? one : two)
        }
        let thumbnails = [(one, "m"), (two, "m"), (two, "s"), (one, "s")].map {
            ThumbnailRecord.sample(
                ThumbnailKey(original: $0, level: $1, format: "webp", recipe: "q80"),
                Digest(of: Array($1.utf8)))
        }
        try await index.record(thumbnails: thumbnails, items: all)
        for record in all {
            let level = try #require(record.resolutions.first?.levels.first)
            let known = try await index.item(record.item)
            #expect(known.keeping { other, _ in other == level } == record)
        }
        for record in thumbnails {
            #expect(try await index.thumbnail(record.key) == record)
        }
        let resolutions = try await index.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM resolutions")
        }
        #expect(resolutions == 2)
    }

    @Test func `every part of a thumbnail's key distinguishes records`() async throws {
        let base = ThumbnailKey.sample()
        var keys = [base, base, base, base, base]
        keys[1].original = Digest(of: [99])
        keys[2].level = "l:2x2"
        keys[3].format = "jpeg"
        keys[4].recipe = "other"
        let thumbnails = keys.enumerated().map { number, key in
            ThumbnailRecord.sample(key, Digest(of: [UInt8(number)]))
        }
        try await index.record(thumbnails: thumbnails)
        for thumbnail in thumbnails {
            #expect(try await index.thumbnail(thumbnail.key) == thumbnail)
        }
        let siblings = try await index.thumbnails(of: base.original)
        #expect(siblings == [thumbnails[2], thumbnails[3], thumbnails[4], thumbnails[0]])
    }

    @Test func `a failure keeps the bytes of an earlier success and a success ends it`()
        async throws
    {
        let success = OriginalRecord.sample("u", Digest(of: [1]))
        try await index.record(success)
        var failed = OriginalRecord(url: "u", fetchedAt: day(8), freshUntil: day(9))
        failed.failure = FailureRecord(kind: "unavailable", reason: "timeout", until: day(10))
        try await index.record(failed)
        var expected = success
        expected.failure = failed.failure
        #expect(try await index.original(url: "u") == expected)

        var renewed = OriginalRecord.sample("u", Digest(of: [2]))
        renewed.entityTag = nil
        renewed.fetchedAt = day(11)
        try await index.record(renewed)
        #expect(try await index.original(url: "u") == renewed)
    }

    @Test func `a failure replaces an earlier failure whole`() async throws {
        var failed = OriginalRecord(url: "u", fetchedAt: day(1), freshUntil: day(2))
        failed.failure = FailureRecord(kind: "unavailable", reason: "timeout", until: day(3))
        try await index.record(failed)
        failed.fetchedAt = day(4)
        failed.failure = FailureRecord(kind: "absent", reason: "404", until: day(5))
        try await index.record(failed)
        #expect(try await index.original(url: "u") == failed)
    }

    @Test func `a render is recorded completely or not at all`() async throws {
        let sound = ThumbnailRecord.sample(.sample(), Digest(of: [1]))
        var refused = sound
        refused.key.level = "refused"
        // The trigger stands for any failure in the midst of a transaction.
        try await index.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER refusal BEFORE INSERT ON resolutions
                    BEGIN SELECT RAISE(ABORT, 'refused by the test'); END
                    """)
        }
        await #expect(throws: StoreError.index(reason: "refused by the test")) {
            try await index.record(
                thumbnails: [sound], items: [.sample("i", "m", Digest(of: [1]))])
        }
        #expect(try await index.statistics() == IndexStatistics())
    }

    @Test func `a key with a NUL doesn't match its prefix`() async throws {
        try await index.record(documents: [
            DocumentRecord(key: "a", body: [1], fetchedAt: day(1), expiresAt: day(2))
        ])
        await #expect(throws: StoreError.self) { try await index.document("a\0b") }
        let other = DocumentRecord(key: "a\0b", body: [2], fetchedAt: day(1), expiresAt: day(2))
        await #expect(throws: StoreError.self) { try await index.record(documents: [other]) }
        #expect(try await index.document("a")?.body == [1])
    }

    @Test func `an error never contains the values of a statement`() async throws {
        let secret = "https://host/?token=secret"
        try await index.write { try $0.execute(sql: "DROP TABLE originals") }
        do throws(StoreError) {
            try await index.record(.sample(secret, Digest(of: [1])))
            Issue.record("a table that isn't there was written")
        } catch {
            #expect(!error.description.contains("secret"))
            #expect(error == .index(reason: "no such table: originals"))
        }
    }

    @Test func `a closed index rejects calls, and closing again does nothing`() async throws {
        try await index.record(.sample("u", Digest(of: [1])))
        try index.close()
        try index.close()
        await #expect(throws: StoreError.stopped) { try await index.original(url: "u") }
        await #expect(throws: StoreError.stopped) {
            try await index.record(.sample("u", Digest(of: [1])))
        }
        // All is in the database itself: nothing is left in the write-ahead log.
        let log = scratch.path + "/v2/index/pictures.sqlite-wal"
        let left = FileManager.default.contents(atPath: log)
        #expect(left?.isEmpty ?? true)
    }

    @Test func `a canceled task gets its result from the index`() async throws {
        let index = index
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await index.record(.sample("u", Digest(of: [1])))
            return try await index.original(url: "u")?.digest
        }
        #expect(try await task.value == Digest(of: [1]))
    }

    @Test func `every frequent query uses a key`() async throws {
        let digest = Digest(of: [1])
        let plans = try await index.read { database in
            // Each statement with its values, as it runs.
            var statements: [String] = []
            database.trace { statements.append($0.expandedDescription) }
            _ = try IndexRows.original(database, url: "u")
            _ = try IndexRows.thumbnail(database, .sample())
            _ = try IndexRows.thumbnails(database, of: digest)
            _ = try IndexRows.item(database, "a/b/1")
            _ = try IndexRows.items(database, "[\"a/b/1\"]")
            _ = try IndexRows.document(database, "k")
            _ = try IndexRows.documents(database, keys: "[\"k\"]")
            _ = try IndexRows.summary(database, of: digest)
            _ = try IndexRows.quarantined(database, digest)
            _ = try IndexRows.shown(database, items: "[\"a/b/1\"]")
            _ = try IndexRows.tiles(
                database, items: "[\"a/b/1\"]", level: "m", format: "webp", recipe: "r")
            _ = try IndexRows.isNamed(database, digest)
            database.trace()
            #expect(statements.count == 12)
            return try statements.flatMap { sql in
                try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN " + sql)
                    .map { $0["detail"] as String }
            }
        }
        let scans = plans.filter { $0.hasPrefix("SCAN") }
        let constant = ["SCAN CONSTANT ROW", "SCAN wanted", "SCAN json_each"]
        #expect(scans.filter { scan in !constant.contains { scan.hasPrefix($0) } }.isEmpty)
        #expect(plans.count > 20)
    }
}

/// A day long ago.
func day(_ number: Int) -> Date {
    Date(timeIntervalSince1970: Double(number) * 86_400 + 0.25)
}

extension ThumbnailKey {
    static func sample() -> ThumbnailKey {
        ThumbnailKey(
            original: Digest(of: [42]), level: "m:320x480", format: "webp", recipe: "q80")
    }
}

extension ThumbnailRecord {
    static func sample(_ key: ThumbnailKey, _ digest: Digest) -> ThumbnailRecord {
        ThumbnailRecord(
            key,
            PictureFacts(
                digest: digest, byteCount: 12_345, width: 320, height: 479,
                renderedAt: Date(timeIntervalSince1970: 432_000)))
    }
}

extension OriginalRecord {
    static func sample(_ url: String, _ digest: Digest) -> OriginalRecord {
        var record = OriginalRecord(url: url, fetchedAt: day(1), freshUntil: day(2))
        record.digest = digest
        record.byteCount = 99
        record.width = 210
        record.height = 295
        record.format = "jpeg"
        record.entityTag = "\"abc\""
        record.lastModified = "Tue, 15 Nov 1994 12:45:26 GMT"
        return record
    }
}

extension ItemRecord {
    static func sample(_ item: String, _ level: String, _ original: Digest?) -> ItemRecord {
        ItemRecord(item, [.sample(level, original)])
    }
}

extension ItemRecord.Resolution {
    static func sample(_ level: String, _ original: Digest?) -> ItemRecord.Resolution {
        ItemRecord.Resolution(
            levels: [level], original: original, url: "https://a/1", failure: nil,
            trace: StoredTrace(bytes: [1, 2, 3]), resolvedAt: day(1), freshUntil: day(2))
    }
}

@Suite(.timeLimit(.minutes(1))) struct IndexNumbersTests {
    @Test func `renditions and words that are not used give their numbers back`() async throws {
        let scratch = try StoreScratch()
        let index = try Index(root: scratch.path)
        for round in 0..<2 {
            let numbers = round * 1_000..<(round + 1) * 1_000
            let thumbnails = numbers.map { number in
                var key = ThumbnailKey.sample()
                key.recipe = "recipe \(number)"
                return ThumbnailRecord.sample(key, Digest(of: Array("\(number)".utf8)))
            }
            let items = numbers.map { number in
                ItemRecord.sample("tvmaze/show/\(number)", "l\(number):1x1", Digest(of: [1]))
            }
            try await index.record(thumbnails: thumbnails, items: items)
            let found = try await index.item("tvmaze/show/\(numbers.upperBound - 1)")
            #expect(found.resolution(of: "l\(numbers.upperBound - 1):1x1") != nil)
            _ = try await index.purge(
                PurgeRequest(
                    items: .all, expiry: nil, documents: .all))
        }
        try index.close()
    }
}
