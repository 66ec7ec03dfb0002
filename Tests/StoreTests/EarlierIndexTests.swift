import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// An index that an earlier version wrote: three items, of which two show the same picture.
@Suite(.timeLimit(.minutes(1)))
struct EarlierIndexTests {
    let scratch: StoreScratch
    private let first = Digest(of: [1])
    private let second = Digest(of: [2])
    private var path: String { scratch.path + "/v1/index/vitrine.sqlite" }

    init() throws {
        scratch = try StoreScratch()
        _ = try StoreLayout(opening: scratch.path)
        let earlier = try DatabasePool(path: path)
        try earlier.write { database in
            try database.execute(sql: Self.schema)
            for (url, digest) in [("https://a/1", first), ("https://a/2", second)] {
                try database.execute(
                    sql: """
                        INSERT INTO originals VALUES (?, ?, 99, 210, 295, 'jpeg', '"abc"',
                            'Tue, 15 Nov 1994 12:45:26 GMT', 86400.25, 172800.25, NULL, NULL, NULL)
                        """, arguments: [url, digest.data])
                try database.execute(
                    sql:
                        "INSERT INTO thumbnails VALUES (?, 'm:320x480', 'webp', 'q80', ?, 12345, 320, 479, 432000.0)",
                    arguments: [digest.data, Digest(of: digest.bytes).data])
            }
            for (item, level, digest, url) in [
                ("tvmaze/show/1", "m:320x480", first, "https://a/1"),
                ("tvmaze/poster/1", "m:320x480", first, "https://a/1"),
                ("tmdb/movie/1", "m:320x480", second, "https://a/2"),
            ] {
                try database.execute(
                    sql:
                        "INSERT INTO bindings VALUES (?, ?, ?, ?, NULL, NULL, NULL, x'010203', 86400.25, 172800.25)",
                    arguments: [item, level, digest.data, url])
            }
            try database.execute(
                sql: """
                    INSERT INTO bindings VALUES ('tmdb/movie/2', 'm:320x480', NULL, NULL, 'absent',
                        'none', 259200.25, x'', 86400.25, 172800.25);
                    INSERT INTO documents VALUES ('page', x'00ff', 86400.25, 172800.25)
                    """)
            try database.execute(
                sql: "INSERT INTO summaries VALUES (?, x'0102', '#010203', 300, 601)",
                arguments: [first.data])
            try database.execute(
                sql: "INSERT INTO quarantine VALUES (?, 'r', 'crashed', 86400.25)",
                arguments: [second.data])
        }
        try earlier.close()
    }

    /// As the version before this one wrote it, with the names of its migrations.
    private static let schema = """
        CREATE TABLE originals (
            url TEXT NOT NULL PRIMARY KEY,
            digest BLOB CHECK (length(digest) = 32),
            byteCount INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            format TEXT NOT NULL,
            entityTag TEXT,
            lastModified TEXT,
            fetchedAt REAL NOT NULL,
            freshUntil REAL NOT NULL,
            failureKind TEXT,
            failureReason TEXT,
            failureUntil REAL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX originalsByDigest ON originals (digest) WHERE digest IS NOT NULL;
        CREATE TABLE thumbnails (
            original BLOB NOT NULL CHECK (length(original) = 32),
            level TEXT NOT NULL,
            format TEXT NOT NULL,
            recipe TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32),
            byteCount INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            renderedAt REAL NOT NULL,
            PRIMARY KEY (original, level, format, recipe)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX thumbnailsByDigest ON thumbnails (digest);
        CREATE TABLE bindings (
            item TEXT NOT NULL,
            level TEXT NOT NULL,
            original BLOB CHECK (length(original) = 32),
            url TEXT,
            failureKind TEXT,
            failureReason TEXT,
            failureUntil REAL,
            trace BLOB NOT NULL,
            resolvedAt REAL NOT NULL,
            freshUntil REAL NOT NULL,
            PRIMARY KEY (item, level)
        ) STRICT;
        CREATE INDEX bindingsByOriginal ON bindings (original) WHERE original IS NOT NULL;
        CREATE TABLE documents (
            key TEXT NOT NULL PRIMARY KEY,
            body BLOB NOT NULL,
            fetchedAt REAL NOT NULL,
            expiresAt REAL NOT NULL
        ) STRICT;
        CREATE TABLE summaries (
            original BLOB NOT NULL PRIMARY KEY CHECK (length(original) = 32),
            thumbHash BLOB NOT NULL,
            colour TEXT NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE quarantine (
            original BLOB NOT NULL PRIMARY KEY CHECK (length(original) = 32),
            recipe TEXT NOT NULL,
            reason TEXT NOT NULL,
            at REAL NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX quarantineByAge ON quarantine (at);
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('v1'), ('summaries'), ('quarantine');
        """

    /// Checks that every record is found.
    private func expectAll(_ index: Index) async throws {
        let binding = BindingRecord.sample("tvmaze/show/1", "m:320x480", first)
        #expect(try await index.original(url: "https://a/1") == .sample("https://a/1", first))
        let thumbnail = try await index.thumbnails(of: first)
        #expect(thumbnail.map(\.digest) == [Digest(of: first.bytes)])
        #expect(thumbnail.map(\.byteCount) == [12_345])
        if let key = thumbnail.first?.key {
            #expect(try await index.thumbnail(key) == thumbnail.first)
        }
        #expect(try await index.bindings(item: binding.item) == [binding])
        #expect(try await index.binding(item: binding.item, level: binding.level) == binding)
        let absent = try await index.bindings(item: "tmdb/movie/2").first
        #expect(absent?.failure == FailureRecord(kind: "absent", reason: "none", until: day(3)))
        #expect(try await index.document("page")?.body == [0, 255])
        #expect(try await index.documents(["page", "other"]).map(\.key) == ["page"])
        #expect(try await index.summary(of: first)?.color == "#010203")
        #expect(try await index.quarantined(second)?.reason == "crashed")
        #expect(try await index.names(Digest(of: first.bytes)))
        let items = ["tvmaze/show/1", "tmdb/movie/1", "tmdb/movie/2"]
        #expect(
            Set(try await index.shown(items: items).map(\.item)) == Set(items.prefix(2)))
        let tiles = try await index.tiles(
            items: items, level: "m:320x480", format: "webp", recipe: "q80")
        #expect(tiles.count == 3)
        #expect(tiles.filter { $0.thumbnail != nil }.count == 2)
    }

    @Test func `rows of an earlier index are found before and after their import`() async throws {
        let before = FileManager.default.contents(atPath: path)
        let index = try Index(root: scratch.path)
        #expect(try await index.statistics() == IndexStatistics())
        try await expectAll(index)
        let migration = try await index.migrate(finishing: false)
        #expect(migration.isFound)
        #expect(migration.originals == 2)
        #expect(migration.thumbnails == 2)
        #expect(migration.bindings == 4)
        #expect(migration.documents == 1)
        #expect(index.earlier?.isRunning == false)
        try await expectAll(index)
        let statistics = try await index.statistics()
        #expect(statistics.items == 4)
        #expect(statistics.quarantined == 1)
        #expect(try await index.read { try IndexCounters.wrong($0) }.isEmpty)
        try index.close()
        // An earlier version can still use it.
        #expect(FileManager.default.contents(atPath: path) == before)

        let again = try Index(root: scratch.path)
        #expect(again.earlier == nil)
        #expect(try await again.migrate(finishing: true).isRemoved)
        #expect(try scratch.names("v1/index").filter { $0.hasPrefix("vitrine.sqlite") }.isEmpty)
        try await expectAll(again)
        #expect(try await again.migrate(finishing: true).isFound == false)
        try again.close()
    }

    @Test func `a service imports an earlier index in the background`() async throws {
        let index = try Index(
            root: scratch.path,
            policy: StorePolicy(unsavedBytes: 8 << 20, pause: .milliseconds(1)))
        await eventually { index.earlier?.isRunning == false }
        #expect(try await index.statistics().items == 4)
        try await expectAll(index)
        try index.close()
    }

    @Test func `an import continues where it ended`() async throws {
        let index = try Index(root: scratch.path)
        try await index.write { database in
            try database.execute(
                sql: """
                    INSERT INTO imports VALUES ('originals', 'https://a/1', 1, 0);
                    INSERT INTO imports VALUES ('bindings', 3, 3, 0)
                    """)
        }
        let migration = try await index.migrate(finishing: false)
        #expect(migration.originals == 2)
        #expect(migration.bindings == 4)
        // Nothing was copied twice.
        #expect(try await index.read { try IndexRows.original($0, url: "https://a/1") } == nil)
        #expect(try await index.bindings(item: "tvmaze/show/1").isEmpty)
        #expect(try await index.bindings(item: "tmdb/movie/2").count == 1)
        try index.close()
    }

    @Test func `a new row replaces the earlier one, also after the import`() async throws {
        let index = try Index(root: scratch.path)
        let new = BindingRecord.sample("tmdb/movie/1", "m:320x480", first)
        try await index.record(thumbnails: [], bindings: [new])
        var failed = OriginalRecord(url: "https://a/2", fetchedAt: day(3), freshUntil: day(3))
        failed.failure = FailureRecord(kind: "unavailable", reason: "down", until: day(4))
        try await index.record(failed)
        func check() async throws {
            #expect(try await index.bindings(item: "tmdb/movie/1") == [new])
            let original = try await index.original(url: "https://a/2")
            #expect(original?.digest == second)
            #expect(original?.failure == failed.failure)
            // The thumbnails of the picture came with the binding.
            let tiles = try await index.tiles(
                items: ["tmdb/movie/1"], level: "m:320x480", format: "webp", recipe: "q80")
            #expect(tiles.first?.thumbnail?.key.original == first)
        }
        try await check()
        _ = try await index.migrate(finishing: true)
        try await check()
        try index.close()
    }

    @Test(arguments: [PurgeRequest.Items.item("tvmaze/show/1"), .source("tvmaze"), .all])
    func `what is purged does not come back from the earlier index`(
        items: PurgeRequest.Items
    ) async throws {
        let index = try Index(root: scratch.path)
        let other = try Index(root: scratch.path)
        let purge = try await index.purge(
            PurgeRequest(
                items: items, mode: .hard, isDocument: { _ in items == .all },
                addresses: { _ in [] }))
        #expect(purge.orphans.contains(first))
        #expect(purge.orphans.contains(Digest(of: first.bytes)))
        #expect(purge.orphans.contains(second) == (items == .all))
        // Another process that looked into the earlier index doesn't find it any more.
        for index in [index, other] {
            #expect(try await index.bindings(item: "tvmaze/show/1").isEmpty)
            #expect(try await index.thumbnails(of: first).isEmpty)
            #expect(try await index.original(url: "https://a/1") == nil)
            #expect(try await index.bindings(item: "tmdb/movie/1").count == (items == .all ? 0 : 1))
        }
        try index.close()
        let again = try Index(root: scratch.path)
        _ = try await again.migrate(finishing: false)
        #expect(try await again.bindings(item: "tvmaze/show/1").isEmpty)
        try again.close()
        try other.close()
    }

    @Test func `repair forgets missing blobs of the earlier index, too`() async throws {
        let index = try Index(root: scratch.path)
        let blobs = try BlobStore(root: scratch.path)
        let report = try await index.verify(against: blobs, repair: true)
        #expect(report.missing.count == 4)
        #expect(try await index.thumbnails(of: first).isEmpty)
        #expect(try await index.bindings(item: "tmdb/movie/2").count == 1)
        try index.close()
    }
}
