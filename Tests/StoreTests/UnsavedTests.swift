import Foundation
import GRDB
import Hashing
import Synchronization
import TestSupport
import Testing

@testable import Store

/// A disk, or another process, that takes nothing for a while.
@Suite(.timeLimit(.minutes(1))) struct UnsavedTests {
    let scratch: StoreScratch
    private let events = Events()

    init() throws { scratch = try StoreScratch() }

    private final class Events: Sendable {
        private let all = Mutex<[StoreEvent]>([])
        var list: [StoreEvent] { all.withLock { $0 } }
        func add(_ event: StoreEvent) {
            all.withLock { $0.append(event) }
            stateChanged()
        }
    }

    private func policy(_ bytes: Int = 16 << 20) -> StorePolicy {
        StorePolicy(unsavedBytes: bytes, pause: .milliseconds(1), maxPause: .milliseconds(5)) {
            [events] in events.add($0)
        }
    }

    /// Holds the index's lock, as another process does in the midst of a long transaction.
    private func locked(
        _ body: () async throws -> Void
    ) async throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(
            path: scratch.path + "/v2/index/pictures.sqlite", configuration: configuration)
        try await blocking {
            try other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
        }
        try await body()
        try await blocking { try other.writeWithoutTransaction { try $0.commit() } }
        try other.close()
    }

    @Test func `rows stay in memory while the index is locked and are written afterwards`()
        async throws
    {
        let index = try Index(root: scratch.path, policy: policy())
        try await index.record(.sample("before", Digest(of: [1])))
        let (key, digest) = (ThumbnailKey.sample(), Digest(of: [2]))
        try await index.record(thumbnails: [.sample(key, digest)])
        var failed = OriginalRecord(url: "before", fetchedAt: day(3), freshUntil: day(3))
        failed.failure = FailureRecord(kind: "unavailable", reason: "down", until: day(4))
        let record = ItemRecord.sample("tvmaze/show/1", key.level, key.original)
        try await locked {
            try await index.record(failed)
            try await index.record(items: [record])
            #expect(index.status.trouble != nil)
            // The failure does not hide what is known of the original.
            let original = try await index.original(url: "before")
            #expect(original?.digest == Digest(of: [1]))
            #expect(original?.failure == failed.failure)
            #expect(try await index.item("tvmaze/show/1") == record)
            let shown = try await index.shown(items: ["tvmaze/show/1"])
            #expect(shown.map(\.width) == [320])
            #expect(try await index.thumbnails(of: key.original).count == 1)
        }
        await eventually { index.status.trouble == nil }
        let other = try Index(root: scratch.path)
        #expect(try await other.original(url: "before")?.failure == failed.failure)
        #expect(try await other.item("tvmaze/show/1") == record)
        #expect(events.list.first.map { if case .behind = $0 { true } else { false } } == true)
        #expect(events.list.last == .caughtUp)
        try other.close()
        try index.close()
    }

    @Test func `unsaved rows are written when the index is closed`() async throws {
        let index = try Index(
            root: scratch.path,
            policy: StorePolicy(unsavedBytes: 1 << 20, pause: .seconds(3_600)))
        try await locked { try await index.record(.sample("late", Digest(of: [1]))) }
        try index.close()
        let again = try Index(root: scratch.path)
        #expect(try await again.original(url: "late") != nil)
        try again.close()
    }

    /// An index whose rows wait in memory until it is closed. The first item is on disk with a
    /// thumbnail. In memory are another thumbnail of its original, a second item that shows it, and a
    /// third with an original of its own.
    private func waiting() async throws -> Index {
        let index = try Index(
            root: scratch.path,
            policy: StorePolicy(unsavedBytes: 1 << 20, pause: .seconds(3_600)))
        let (one, other) = (Digest(of: [1]), Digest(of: [2]))
        try await index.record(.sample("one", one))
        try await index.record(
            thumbnails: [.sample(key(one, "m"), Digest(of: [11]))],
            items: [.sample("a/b/1", "m", one)])
        try await locked {
            try await index.record(.sample("other", other))
            try await index.record(
                thumbnails: [
                    .sample(key(one, "l"), Digest(of: [12])),
                    .sample(key(other, "m"), Digest(of: [21])),
                ], items: [.sample("a/b/2", "m", one), .sample("a/b/3", "m", other)])
        }
        return index
    }

    private func key(_ original: Digest, _ level: String) -> ThumbnailKey {
        ThumbnailKey(original: original, level: level, format: "webp", recipe: "r")
    }

    private func purge(
        _ items: PurgeRequest.Items, _ expiry: Date? = nil
    ) -> PurgeRequest {
        PurgeRequest(
            items: items, expiry: expiry, documents: items == .all ? .all : .none)
    }

    @Test func `lookups join rows in memory with those on disk`() async throws {
        let index = try await waiting()
        let (one, other) = (Digest(of: [1]), Digest(of: [2]))
        let items = (1...3).map { "a/b/\($0)" }
        #expect(Set(try await index.shown(items: items).map(\.item)) == Set(items))
        let tiles = try await index.tiles(items: items, level: "m", format: "webp", recipe: "r")
        #expect(
            Dictionary(uniqueKeysWithValues: tiles.map { ($0.item, $0.thumbnail?.facts.digest) })
                == [
                    "a/b/1": Digest(of: [11]), "a/b/2": Digest(of: [11]),
                    "a/b/3": Digest(of: [21]),
                ])
        #expect(try await index.thumbnails(of: one).map(\.key.level) == ["l", "m"])
        let known = try await index.known(of: "a/b/2", original: one)
        #expect(known.item.resolutions.map(\.original) == [one])
        #expect(known.thumbnails.count == 2)
        let uses = try await index.uses(of: [one, Digest(of: [11]), Digest(of: [21])])
        #expect(uses[one]?.items == ["a/b/1", "a/b/2"])
        #expect(uses[Digest(of: [11])]?.items == ["a/b/1", "a/b/2"])
        #expect(uses[Digest(of: [21])]?.thumbnailOf == [other])
        for number: UInt8 in [1, 2, 11, 12, 21] {
            #expect(try await index.names(Digest(of: [number])), "\(number)")
            #expect(try await index.isShown(Digest(of: [number]), expiringBy: .distantFuture))
        }
        #expect(try await !index.isShown(Digest(of: [21]), expiringBy: .distantPast))
        try index.close()
        let again = try Index(root: scratch.path)
        #expect(try await again.shown(items: items).count == 3)
        try again.close()
    }

    @Test(arguments: [1, 2])
    func `a hard purge reaches rows in memory, whichever row names the picture`(item: Int)
        async throws
    {
        let index = try await waiting()
        let purge = try await index.purge(purge(.item("a/b/\(item)")))
        #expect(purge.items == ["a/b/1", "a/b/2"])
        #expect(purge.thumbnails == 2)
        #expect(purge.originals == 1)
        #expect(purge.orphans == [[1], [11], [12]].map { Digest(of: $0) }.sorted())
        #expect(try await index.thumbnails(of: Digest(of: [1])).isEmpty)
        #expect(try await index.item("a/b/2").resolutions.isEmpty)
        #expect(try await index.item("a/b/3").resolution(of: "m") != nil)
        let all = try await index.purge(self.purge(.all))
        #expect(all.orphans == [[2], [21]].map { Digest(of: $0) }.sorted())
        #expect(index.hasAllOnDisk)
        try index.close()
        let again = try Index(root: scratch.path)
        #expect(try await again.statistics() == IndexStatistics())
        try again.close()
    }

    @Test func `a soft purge reaches rows in memory`() async throws {
        let index = try await waiting()
        let purge = try await index.purge(purge(.source("a"), day(0)))
        #expect(purge.items == ["a/b/1", "a/b/2", "a/b/3"])
        for number in 1...3 {
            let shown = try await index.item("a/b/\(number)").resolution(of: "m")
            #expect(shown?.freshUntil == day(0))
        }
        try index.close()
    }

    @Test func `a record that no table takes is refused, and holds up no other`() async throws {
        let index = try Index(root: scratch.path, policy: policy())
        let refused = StoreError.index(
            reason: "a text to be stored or looked up has a NUL character")
        await #expect(throws: refused) { try await index.record(.sample("a\0", Digest(of: [9]))) }
        #expect(index.status.trouble == nil)
        try await locked {
            try await index.record(.sample("first", Digest(of: [1])))
            try await index.record(.sample("a\0", Digest(of: [9])))
        }
        await eventually { index.status.trouble == nil }
        try index.close()
        let again = try Index(root: scratch.path)
        #expect(try await again.original(url: "first") != nil)
        try again.close()
    }

    @Test func `memory for unsaved rows is limited`() async throws {
        let index = try Index(root: scratch.path, policy: policy(2 << 20))
        let body = [UInt8](repeating: 1, count: 100_000)
        try await locked {
            for number in 0..<20 {
                let document = DocumentRecord(
                    key: "\(number)", body: body, fetchedAt: day(1), expiresAt: day(2))
                try await index.record(documents: [document])
            }
            #expect(events.list.contains(.dropped))
            #expect(try await index.document("0") == nil)
            #expect(try await index.document("19")?.body == body)
        }
        await eventually { index.status.trouble == nil }
        try index.close()
    }

    @Test func `a damaged index is replaced while it serves, and readable rows stay`()
        async throws
    {
        let keys = (0..<4_000).map { number in
            var key = ThumbnailKey.sample()
            key.original = Digest(of: Array("\(number)".utf8))
            return key
        }
        let filled = try Index(root: scratch.path)
        try await filled.record(
            thumbnails: keys.map { ThumbnailRecord.sample($0, $0.original) })
        try filled.close()
        let path = scratch.path + "/v2/index/pictures.sqlite"
        let size = UInt64(try #require(try fileStatus(path)).st_size)
        // Every tenth page but the first ones, which have the schema and each table's first page.
        for page in stride(from: 60, to: size / 4096, by: 10) {
            try scratch.overwrite(
                path, with: [UInt8](repeating: 0xA5, count: 4096), at: page * 4096)
        }

        let index = try Index(root: scratch.path, policy: policy())
        try await withThrowingTaskGroup { group in
            for key in keys {
                group.addTask { _ = try await index.thumbnail(key) }
            }
            try await group.waitForAll()
        }
        #expect(index.status.setAside == 1)
        let names = try scratch.names("v2/index")
        #expect(names.filter { $0.hasPrefix("pictures.sqlite.damaged-") }.count >= 1)
        try await index.record(.sample("u", Digest(of: [1])))
        #expect(try await index.original(url: "u") != nil)
        await eventually { events.list.contains(.salvaged) }
        #expect(try await index.statistics().thumbnails > 100)
        let blobs = try BlobStore(root: scratch.path)
        #expect(try await index.verify(against: blobs, repair: false).complaints.isEmpty)
        try index.close()
    }

    @Test(arguments: ["noise", "a page"])
    func `a damaged database of user data is moved aside, and readable rows are kept`(
        damage: String
    )
        async throws
    {
        let filled = try UserData(root: scratch.path)
        for number in 0..<2_000 {
            _ = try await filled.addFavorite("a/b/\(number)", at: day(number))
        }
        try filled.close()
        let path = scratch.path + "/v2/index/keepsakes.sqlite"
        let (start, count) = damage == "noise" ? (0, 90_000) : (4096 * 15, 4096)
        try scratch.overwrite(
            path, with: [UInt8](repeating: 0xA5, count: count), at: UInt64(start))

        let userData = try UserData(root: scratch.path, policy: policy())
        let kept = try await userData.favorites().count
        if damage == "a page" { #expect(kept > 100) }
        _ = try await userData.addFavorite("a/b/new", at: day(9_000))
        #expect(try await userData.favorites().first?.item == "a/b/new")
        #expect(userData.status.setAside == 1)
        #expect(try await userData.verify(repair: false) == [])
        let names = try scratch.names("v2/index")
        #expect(names.contains { $0.hasPrefix("keepsakes.sqlite.damaged-") })
        try userData.close()
    }

    @Test func `only the latest damaged databases are kept`() throws {
        let layout = try StoreLayout(opening: scratch.path)
        for number in 0..<5 {
            try scratch.write([UInt8(number)], to: "v2/index/pictures.sqlite")
            try scratch.write([], to: "v2/index/pictures.sqlite-wal")
            #expect(try SetAside(layout: layout).take(layout.database) != nil)
        }
        #expect(try SetAside(layout: layout).take(layout.database) == nil)
        let names = try scratch.names("v2/index")
        #expect(names.count == 2 * SetAside.capacity)
        #expect(names.filter { $0.hasSuffix("-wal") }.count == SetAside.capacity)
    }

    @Test func `a file that already replaced the damaged one stays`() throws {
        let layout = try StoreLayout(opening: scratch.path)
        try scratch.write([1], to: "v2/index/pictures.sqlite")
        #expect(try SetAside(layout: layout).take(layout.database, inode: 1) == nil)
        #expect(try scratch.names("v2/index") == ["pictures.sqlite"])
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `files and directories are accessible to their owner only`() async throws {
        let root = scratch.path + "/new"
        let (blobs, index) = (try BlobStore(root: root), try Index(root: root))
        let userData = try UserData(root: root)
        let named = try BlobStore(root: root, staging: .named)
        _ = try await blobs.put([1])
        _ = try await named.put([2])
        try await index.record(.sample("u", Digest(of: [1])))
        _ = try await userData.addFavorite("a/b/1", at: day(1))
        var files = 0
        let names = FileManager.default.enumerator(atPath: root)
        while let name = names?.nextObject() as? String {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(root)/\(name)")
            let isDirectory = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(try mode(of: "\(root)/\(name)") == (isDirectory ? 0o700 : 0o600), "\(name)")
            files += 1
        }
        #expect(files > 10)
        #expect(try mode(of: root) == 0o700)
        try index.close()
        try userData.close()
    }

    @Test func `files that an earlier version left readable for all become private`() throws {
        let index = try Index(root: scratch.path)
        try index.close()
        let path = scratch.path + "/v2/index/pictures.sqlite"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        try Index(root: scratch.path).close()
        #expect(try mode(of: path) == 0o600)
    }

    @Test func `an impossible date in a row is an error`() async throws {
        let index = try Index(root: scratch.path)
        try await index.record(.sample("u", Digest(of: [1])))
        try await index.write {
            try $0.execute(sql: "UPDATE originals SET freshUntil = 9000000000000000")
        }
        await #expect(throws: StoreError.self) { try await index.original(url: "u") }
        try index.close()
        // If the policy allows to work from memory, the row counts as missing.
        let tolerant = try Index(root: scratch.path, policy: policy())
        #expect(try await tolerant.original(url: "u") == nil)
        try await tolerant.record(.sample("u", Digest(of: [2])))
        #expect(try await tolerant.original(url: "u")?.digest == Digest(of: [2]))
        try tolerant.close()
    }
}
