import Foundation
import GRDB
import Hashing
import TestSupport
import Testing

@testable import Store

/// A cache that another layout left. It is made by this version, and gets the name of a lower number.
@Suite(.timeLimit(.minutes(1))) struct EarlierLayoutTests {
    private let scratch: StoreScratch
    private var left: String { scratch.path + "/v1" }
    private var leftData: String { left + "/index/keepsakes.sqlite" }
    private var ownData: String { scratch.path + "/v2/index/keepsakes.sqlite" }

    init() async throws {
        scratch = try StoreScratch()
        try await scratch.makeEarlierLayout()
    }

    private func events() -> (policy: StorePolicy, all: Watched<[StoreEvent]>) {
        let events = Watched<[StoreEvent]>([])
        var policy = StorePolicy()
        policy.report = { event in events.change { $0.append(event) } }
        return (policy, events)
    }

    @Test func `favorites in their order, pins, searches and blocks move over once, and are told`()
        async throws
    {
        let before = try Data(contentsOf: URL(fileURLWithPath: leftData))
        let (policy, told) = events()
        let userData = try UserData(root: scratch.path, policy: policy)
        #expect(
            try await userData.favorites().map(\.item)
                == ["tvmaze/show/0", "tvmaze/show/2", "tvmaze/show/1"])
        #expect(try await userData.protectedItems().contains("tvmaze/show/9"))
        #expect(try await userData.searches().map(\.term) == ["dome"])
        #expect(try await userData.blocks().map(\.target) == ["tvmaze/show/5"])
        #expect(told.value == [.moved(path: left)])
        // What people change from here on stays.
        #expect(try await userData.removeFavorite("tvmaze/show/1"))
        try userData.close()
        let again = try UserData(root: scratch.path, policy: policy)
        #expect(try await again.favorites().count == 2)
        #expect(told.value.count == 1)
        try again.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: leftData)) == before)
    }

    @Test func `user data of an older release gets the tables that it lacks`() async throws {
        let database = try DatabasePool(path: leftData)
        try await database.write { database in
            try database.execute(
                sql: """
                    DROP TABLE blocks; DELETE FROM grdb_migrations WHERE identifier = 'blocks'
                    """)
        }
        try database.close()
        let userData = try UserData(root: scratch.path)
        #expect(try await userData.favorites().count == 3)
        #expect(try await userData.blocks().isEmpty)
        try userData.close()
    }

    @Test func `of several layouts the newest moves over`() async throws {
        try FileManager.default.copyItem(atPath: left, toPath: scratch.path + "/v0")
        let newest = try DatabasePool(path: leftData)
        try await newest.write { try $0.execute(sql: "DELETE FROM pins") }
        try newest.close()
        let userData = try UserData(root: scratch.path)
        #expect(try await !userData.protectedItems().contains("tvmaze/show/9"))
        try userData.close()
    }

    @Test func `a file without a readable row leaves no favorites, and stays`() async throws {
        let file = try #require(FileHandle(forUpdatingAtPath: leftData))
        try file.truncate(atOffset: 100)
        try file.close()
        let userData = try UserData(root: scratch.path)
        #expect(try await userData.favorites().isEmpty)
        #expect(try await userData.addFavorite("a/b/1", at: .now) == .added)
        try userData.close()
        #expect(FileManager.default.fileExists(atPath: leftData))
    }

    @Test func `readable rows of a damaged file move over`() async throws {
        // The root page of the table of pins.
        let database = try DatabaseQueue(path: leftData)
        let (page, size) = try await database.read { database in
            (
                try Int.fetchOne(
                    database, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'pins'"),
                try Int.fetchOne(database, sql: "PRAGMA page_size")
            )
        }
        try database.close()
        let offset = (try #require(page) - 1) * (try #require(size))
        try scratch.overwrite(
            leftData, with: [UInt8](repeating: 0xFF, count: 64), at: UInt64(offset))
        let userData = try UserData(root: scratch.path)
        #expect(try await userData.favorites().count == 3)
        #expect(try await userData.blocks().map(\.target) == ["tvmaze/show/5"])
        #expect(try await userData.searches().map(\.term) == ["dome"])
        try userData.close()
    }

    @Test func `a copy that a dead process left is made again`() async throws {
        try StoreLayout.makeDirectories("\(scratch.path)/v2/index")
        for suffix in ["", "-wal", "-journal"] {
            try scratch.write([1, 2, 3], to: "v2/index/keepsakes.sqlite.moving\(suffix)")
        }
        let userData = try UserData(root: scratch.path)
        #expect(try await userData.favorites().count == 3)
        try userData.close()
        #expect(try scratch.names("v2/index").allSatisfy { !$0.contains("moving") })
    }

    @Test func `kill -9 at any moment loses no favorite`() async throws {
        for count in 1...(Slow.isOn ? 20 : 4) {
            let child = try ChildProcess(task: "move", root: scratch.path)
            let lines = try await child.lines(killedAfter: count)
            #expect(lines.allSatisfy { $0 == "3" })
            let userData = try UserData(root: scratch.path)
            #expect(try await userData.favorites().count == 3)
            try userData.close()
        }
    }

    @Test
    func `nothing is removed for room, and garbage collection removes it once the data moved`()
        async throws
    {
        let store = try StoreSet(scratch.path)
        _ = try await store.upkeep.makeRoom(DiskUsage(bytes: 1 << 30, files: 1 << 20))
        #expect(try scratch.names("v1/blobs").count == 1)
        try FileManager.default.moveItem(atPath: ownData, toPath: ownData + ".away")
        _ = try await store.upkeep.collectGarbage()
        #expect(FileManager.default.fileExists(atPath: left))
        try FileManager.default.moveItem(atPath: ownData + ".away", toPath: ownData)
        let receipt = try await store.upkeep.collectGarbage()
        #expect(receipt.bytes > 1_000_000)
        #expect(receipt.leftovers > 8)
        #expect(!FileManager.default.fileExists(atPath: left))
        try store.close()
    }

    @Test func `a purge of everything removes its pictures`() async throws {
        let store = try StoreSet(scratch.path)
        _ = try await store.upkeep.removeAllBlobs()
        #expect(!FileManager.default.fileExists(atPath: left))
        #expect(try await store.userData.favorites().count == 3)
        try store.close()
    }

    @Test func `its pins are named until they have thumbnails again`() async throws {
        let store = try StoreSet(scratch.path)
        #expect(try await store.upkeep.pinsLeftBehind().count == 4)
        let digest = try await store.blobs.put([1])
        let item = "tvmaze/show/9"
        try await store.index.record(
            thumbnails: [.sample(.sample(), digest)],
            items: [.sample(item, ThumbnailKey.sample().level, ThumbnailKey.sample().original)])
        #expect(try await !store.upkeep.pinsLeftBehind().contains(item))
        try store.close()
    }

    @Test func `a directory that an earlier version uses is left alone`() throws {
        let running = try DatabasePool(path: "\(left)/index/pictures.sqlite")
        try running.write { try $0.execute(sql: "CREATE TABLE more (item TEXT)") }
        #expect(throws: StoreError.usedByEarlier(path: scratch.path)) {
            try BlobStore(root: scratch.path)
        }
        #expect(try scratch.names("") == ["v1"])
        try running.close()
        _ = try BlobStore(root: scratch.path)
    }
}

/// A store with its upkeep.
private struct StoreSet {
    let blobs: BlobStore
    let index: Index
    let userData: UserData
    let upkeep: Upkeep

    init(_ root: String) throws {
        blobs = try BlobStore(root: root)
        index = try Index(root: root)
        userData = try UserData(root: root)
        upkeep = Upkeep(blobs: blobs, index: index, userData: userData)
    }

    func close() throws {
        try index.close()
        try userData.close()
    }
}
