import Foundation
import GRDB
import Hashing
import TestSupport
import Testing

@testable import Store

/// A cache that version 0.9 made, opened by this version.
@Suite(.timeLimit(.minutes(1))) struct EarlierTreeTests {
    private let scratch: StoreScratch
    private let earlier: EarlierCache

    init() throws {
        scratch = try StoreScratch()
        earlier = try EarlierCache(in: scratch.path)
    }

    private func events() -> (policy: StorePolicy, all: Watched<[StoreEvent]>) {
        let events = Watched<[StoreEvent]>([])
        var policy = StorePolicy()
        policy.report = { event in events.change { $0.append(event) } }
        return (policy, events)
    }

    @Test func `favorites in their order, pins and searches move over once, and are told`()
        async throws
    {
        let before = try Data(contentsOf: URL(fileURLWithPath: earlier.userData))
        let (policy, told) = events()
        let userData = try UserData(root: scratch.path, policy: policy)
        #expect(
            try await userData.favorites().map(\.item)
                == ["tvmaze/show/2", "tvmaze/show/1", "tvmaze/show/0"])
        #expect(try await userData.protectedItems().contains("tvmaze/show/9"))
        #expect(try await userData.searches().map(\.term) == ["dome"])
        #expect(told.value == [.moved(path: earlier.tree)])
        // What people change from here on stays.
        #expect(try await userData.removeFavorite("tvmaze/show/1"))
        try userData.close()
        let again = try UserData(root: scratch.path, policy: policy)
        #expect(try await again.favorites().count == 2)
        #expect(told.value.count == 1)
        try again.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: earlier.userData)) == before)
    }

    @Test func `readable favorites of a damaged file move over`() async throws {
        let file = try #require(FileHandle(forUpdatingAtPath: earlier.userData))
        try file.truncate(atOffset: 100)
        try file.close()
        let userData = try UserData(root: scratch.path)
        #expect(try await userData.favorites().isEmpty)
        #expect(try await userData.addFavorite("a/b/1", at: .now) == .added)
        try userData.close()
        #expect(FileManager.default.fileExists(atPath: earlier.userData))
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

    @Test func `what is left counts as version 0.9 counted it, or as it is found`() throws {
        let disk = try earlier.disk
        let all = try disk.usage(of: earlier.tree, depth: 4)
        #expect(all.files > EarlierCache.sizes.count)
        let tree = EarlierTree(root: scratch.path)
        #expect(try tree.usage(on: disk) == all)
        try scratch.write([1, 2, 3], to: "v1/ledger")
        #expect(try tree.usage(on: disk).files == all.files + 1)
        try earlier.count(DiskUsage(bytes: 1 << 30, files: 77))
        #expect(try tree.usage(on: disk) == DiskUsage(bytes: 1 << 30, files: 77))
    }

    @Test func `what is left makes room before any blob goes, all but the user data`()
        async throws
    {
        let store = try StoreSet(scratch.path, budget: 32 << 20)
        let before = store.upkeep.status
        #expect(before.earlier.bytes > EarlierCache.sizes.reduce(0, +))
        #expect(before.usage.bytes >= before.earlier.bytes)
        var random = SeededGenerator(seed: 1)
        var kept: [Digest] = []
        for _ in 0..<10 { kept.append(try await store.blobs.put(random.bytes(1_000_000))) }
        #expect(earlier.blobs < EarlierCache.sizes.count)
        #expect(try await store.blobs.present(Set(kept)) == Set(kept))
        _ = try await store.upkeep.evictor.free(DiskUsage(bytes: 20_000_000, files: 0))
        #expect(earlier.blobs == 0)
        #expect(try scratch.names("v1") == ["index"])
        #expect(try scratch.names("v1/index").allSatisfy { $0.hasPrefix("keepsakes.sqlite") })
        #expect(
            store.upkeep.status.earlier
                == (try earlier.disk.usage(of: earlier.tree, depth: 4)))
        try store.close()
    }

    @Test func `garbage collection removes it once the favorites have moved`() async throws {
        let store = try StoreSet(scratch.path)
        let moved = "\(scratch.path)/v2/index/keepsakes.sqlite"
        try FileManager.default.moveItem(atPath: moved, toPath: moved + ".away")
        _ = try await store.upkeep.collectGarbage()
        #expect(earlier.blobs == EarlierCache.sizes.count)
        try FileManager.default.moveItem(atPath: moved + ".away", toPath: moved)
        let receipt = try await store.upkeep.collectGarbage()
        #expect(receipt.bytes > EarlierCache.sizes.reduce(0, +))
        #expect(!FileManager.default.fileExists(atPath: earlier.tree))
        #expect(store.upkeep.status.earlier == DiskUsage())
        try store.close()
    }

    @Test func `a purge of everything removes its pictures`() async throws {
        let store = try StoreSet(scratch.path)
        _ = try await store.upkeep.removeAllBlobs()
        #expect(earlier.blobs == 0)
        #expect(FileManager.default.fileExists(atPath: earlier.userData))
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

    @Test func `a directory that version 0.9 uses is left alone`() throws {
        let running = try DatabasePool(path: "\(earlier.tree)/index/pictures.sqlite")
        try running.write { try $0.execute(sql: "CREATE TABLE more (item TEXT)") }
        #expect(throws: StoreError.usedByEarlier(path: scratch.path)) {
            try BlobStore(root: scratch.path)
        }
        #expect(try scratch.names("") == ["v1"])
        try running.close()
        _ = try BlobStore(root: scratch.path)
    }
}
