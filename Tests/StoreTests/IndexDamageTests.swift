import Foundation
import GRDB
import Hashing
import TestSupport
import Testing
import Threads

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct IndexDamageTests {
    let scratch: StoreScratch

    init() throws { scratch = try StoreScratch() }

    private var database: String { scratch.path + "/v2/index/pictures.sqlite" }

    @Test(arguments: ["noise", "a few bytes", "cut off"])
    func `an unreadable database is moved aside and replaced`(damage: String) async throws {
        try await fill(rows: 200)
        var random = SeededGenerator(seed: 1)
        let file = try #require(FileHandle(forWritingAtPath: database))
        switch damage {
        case "noise": try file.write(contentsOf: Data(random.bytes(100_000)))
        case "a few bytes":
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data("not SQLite".utf8))
        default: try file.truncate(atOffset: 5000)
        }
        try file.close()

        let index = try Index(root: scratch.path)
        #expect(index.wasRebuilt)
        let names = try scratch.names("v2/index")
        #expect(names.contains { $0.hasPrefix("pictures.sqlite.damaged-") })
        #expect(try await index.statistics() == IndexStatistics())
        try await index.record(.sample("u", Digest(of: [1])))
        try index.close()
        let again = try Index(root: scratch.path)
        #expect(!again.wasRebuilt)
        #expect(try await again.original(url: "u") != nil)
    }

    @Test func `another process continues the copy of a damaged index`() async throws {
        try await fill(rows: 200)
        // Its process died before it had copied the rows.
        let layout = try StoreLayout(opening: scratch.path)
        let aside = try #require(try SetAside(layout: layout).take(database))
        try Index(root: scratch.path).close()
        #expect(SetAside(layout: layout).unsalvaged(layout.database) == aside)
        let policy = StorePolicy(unsavedBytes: 1 << 20) { _ in stateChanged() }
        let index = try Index(root: scratch.path, policy: policy)
        await eventually { SetAside(layout: layout).unsalvaged(layout.database) == nil }
        #expect(try await index.statistics().thumbnails == 200)
        try index.close()
        // What was purged afterward doesn't come back.
        let emptied = try Index(root: scratch.path, policy: policy)
        _ = try await emptied.purge(
            PurgeRequest(
                items: .all, expiry: nil, documents: .all))
        try emptied.close()
        let again = try Index(root: scratch.path, policy: policy)
        #expect(try await again.statistics().thumbnails == 0)
        try again.close()
    }

    @Test func `two processes that open a damaged index share the new one`() async throws {
        try StoreLayout.makeDirectories(scratch.path + "/v2/index")
        try scratch.write([UInt8](repeating: 7, count: 9000), to: "v2/index/pictures.sqlite")
        let root = scratch.path
        let indexes = try await withThrowingTaskGroup(of: Index.self) { group in
            for _ in 0..<3 { group.addTask { try await blocking { try Index(root: root) } } }
            var indexes: [Index] = []
            for try await index in group { indexes.append(index) }
            return indexes
        }
        #expect(indexes.filter(\.wasRebuilt).count == 1)
        try await indexes[0].record(.sample("u", Digest(of: [1])))
        for index in indexes { #expect(try await index.original(url: "u") != nil) }
        for index in indexes { try index.close() }
    }

    @Test func `the index is opened by one caller at a time`() async throws {
        let layout = try StoreLayout(opening: scratch.path)
        let threads = ThreadPool("test", count: 4)
        let meeting = Meeting()
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    try await threads.run { () throws(StoreError) in
                        try layout.withOpeningLock { meeting.attend(first: 1) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(meeting.most == 1)
    }

    @Test func `an index of a newer version is not changed`() async throws {
        let index = try Index(root: scratch.path)
        try await index.write { database in
            try database.execute(sql: "INSERT INTO grdb_migrations VALUES ('v2')")
        }
        try index.close()
        #expect(throws: StoreError.unknownLayout(path: scratch.path, found: "index v2")) {
            try Index(root: scratch.path)
        }
    }

    @Test func `damage inside an index is reported, and repair empties it`() async throws {
        try await fill(rows: 4000)
        // Pages in the midst of the file. The first ones, with the schema and each table's first
        // page, stay sound.
        try scratch.overwrite(
            database, with: [UInt8](repeating: 0xA5, count: 4096 * 30), at: 4096 * 60)

        let blobs = try BlobStore(root: scratch.path)
        let index = try Index(root: scratch.path)
        let neighbor = try Index(root: scratch.path)
        var report = try await index.verify(against: blobs, repair: false)
        #expect(!report.complaints.isEmpty)
        #expect(!report.wasErased)
        report = try await index.verify(against: blobs, repair: true)
        #expect(report.wasErased)
        #expect(try await index.verify(against: blobs, repair: false) == IndexVerification())
        #expect(try await neighbor.statistics() == IndexStatistics())
        try await index.record(.sample("u", Digest(of: [1])))
        #expect(try await neighbor.original(url: "u") != nil)
    }

    @Test func `a row with an unexpected value is an error and not a crash`() async throws {
        let index = try Index(root: scratch.path)
        try await index.record(.sample("u", Digest(of: [1])))
        try await index.write { database in
            try database.execute(
                sql: """
                    PRAGMA ignore_check_constraints = 1;
                    UPDATE pictures SET digest = x'0102'
                    """)
        }
        await #expect(throws: StoreError.self) { try await index.original(url: "u") }
    }

    @Test func `missing blobs are listed, and repair forgets them`() async throws {
        let blobs = try BlobStore(root: scratch.path)
        let index = try Index(root: scratch.path)
        let here = try await blobs.put([1])
        let gone = (0..<5).map { Digest(of: [200, $0]) }
        var failed = OriginalRecord.sample("failed", gone[1])
        failed.failure = FailureRecord(kind: "absent", reason: "404", until: day(3))
        try await index.record(.sample("here", here))
        try await index.record(.sample("gone", gone[0]))
        try await index.record(failed)
        var other = ThumbnailKey.sample()
        other.level = "gone"
        let thumbnail = ThumbnailRecord.sample(.sample(), here)
        let shown = ItemRecord.sample("here", "m", here)
        try await index.record(
            thumbnails: [thumbnail, .sample(other, gone[2])],
            items: [
                shown, .sample("gone", "m", gone[3]), .sample("both", "m", gone[0]),
                .sample("none", "m", nil),
            ])
        let missing = gone[0...3].sorted()
        #expect(try await index.verify(against: blobs, repair: false).missing == missing)
        #expect(try await index.statistics().originals == 3)
        #expect(try await index.verify(against: blobs, repair: true).missing == missing)
        #expect(try await index.verify(against: blobs, repair: false) == IndexVerification())

        #expect(try await index.original(url: "here")?.digest == here)
        #expect(try await index.original(url: "gone") == nil)
        var remembered = OriginalRecord(url: "failed", fetchedAt: day(1), freshUntil: day(1))
        remembered.failure = failed.failure
        #expect(try await index.original(url: "failed") == remembered)
        #expect(try await index.thumbnail(.sample()) == thumbnail)
        #expect(try await index.thumbnail(other) == nil)
        #expect(try await index.item("here") == shown)
        #expect(try await index.item("gone").resolutions == [])
        #expect(try await index.item("both").resolutions == [])
        #expect(try await index.item("none").resolutions.count == 1)
    }

    @Test func `more digests than one batch are checked`() async throws {
        try await fill(rows: 1300)
        let blobs = try BlobStore(root: scratch.path)
        let index = try Index(root: scratch.path)
        let report = try await index.verify(against: blobs, repair: true)
        #expect(report.missing.count == 1300)
        #expect(report.missing == report.missing.sorted())
        #expect(try await index.statistics() == IndexStatistics())
    }

    /// Thumbnails whose blobs aren't there, and a closed index.
    private func fill(rows: Int) async throws {
        let index = try Index(root: scratch.path)
        let thumbnails = (0..<rows).map { number in
            let digest = Digest(of: Array("\(number)".utf8))
            var key = ThumbnailKey.sample()
            key.original = digest
            return ThumbnailRecord.sample(key, digest)
        }
        try await index.record(thumbnails: thumbnails)
        try index.close()
    }
}
