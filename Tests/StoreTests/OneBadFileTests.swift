import Foundation
import GRDB
import Hashing
import TestSupport
import Testing

@testable import Store

/// What can't be used below the cache directory keeps nothing else from being used.
@Suite(.timeLimit(.minutes(1))) struct OneBadFileTests {
    private let scratch: StoreScratch

    init() throws { scratch = try StoreScratch() }

    private func policy(
        _ report: @escaping @Sendable (StoreEvent) -> Void = { _ in }
    ) -> StorePolicy {
        StorePolicy(
            unsavedBytes: 1 << 20, pause: .milliseconds(1), maxPause: .milliseconds(5),
            report: report)
    }

    @Test func `closed directories keep no other blob from being stored, read, checked or removed`()
        async throws
    {
        let lines = try await ChildProcess(task: "closed", root: scratch.path).lines()
        #expect(
            lines == [
                "root false", "others stored true", "waiting true", "served true", "named true",
                "owner true", "verified true", "unreadable true", "counted true", "removed true",
                "no trouble true", "caught up true",
            ])
    }

    /// Returns bytes whose blob is in a first-level directory.
    private func bytes(inFan fan: Int) -> [UInt8] {
        (0...).lazy.map { Array("\($0)".utf8) }.first { Digest(of: $0).fan == fan } ?? []
    }

    @Test(arguments: [StagingMethod.anonymous, .named])
    func `a link that leads nowhere keeps its own blobs in memory only`(
        staging: StagingMethod
    ) async throws {
        let events = Watched<[StoreEvent]>([])
        let store = try BlobStore(
            root: scratch.path, staging: staging,
            policy: policy { event in events.change { $0.append(event) } })
        let link = scratch.path + "/v2/blobs/07"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: link)
        let (kept, other) = (bytes(inFan: 7), bytes(inFan: 8))
        let digest = try await store.keep(kept)
        #expect(store.isUnsaved(digest))
        let second = try await store.keep(other)
        #expect(FileManager.default.fileExists(atPath: scratch.blob(second)))
        #expect(try await store.load(digest) == kept)
        #expect(store.status.trouble?.isOfOneFile == true)
        let text = events.value.first?.description ?? ""
        #expect(text.hasPrefix("A part of the cache isn't writable."))
        #expect(text.contains(link) && text.contains("It belongs to \(Account.name(geteuid()))."))
        try FileManager.default.removeItem(atPath: link)
        _ = await events.wait { $0.last == .caughtUp }
        #expect(store.status.trouble == nil)
        #expect(FileManager.default.fileExists(atPath: scratch.blob(digest)))
    }

    @Test(arguments: ["07", "second level", "named"])
    func `a file in the place of a directory is quarantined, and its blobs are stored`(
        place: String
    ) async throws {
        let store = try BlobStore(
            root: scratch.path, staging: place == "named" ? .named : .anonymous, policy: policy())
        let content = bytes(inFan: 7)
        let hex = Digest(of: content).hex
        var file = "v2/blobs/07"
        if place == "second level" {
            try FileManager.default.createDirectory(
                atPath: "\(scratch.path)/\(file)", withIntermediateDirectories: true)
            file += "/\(hex.dropFirst(2).prefix(2))"
        }
        try scratch.write([1], to: file)
        #expect(try await store.load(Digest(of: content)) == nil)
        let digest = try await store.keep(content)
        #expect(store.status.trouble == nil && !store.isUnsaved(digest))
        #expect(FileManager.default.fileExists(atPath: scratch.blob(digest)))
        #expect(try scratch.names("v2/quarantine").count == 1)
        #expect(try await store.put(content) == digest)
    }

    @Test func `a directory of staging files that can't be used is done without`() async throws {
        let store = try BlobStore(root: scratch.path, policy: policy())
        let staging = scratch.path + "/v2/staging"
        try FileManager.default.removeItem(atPath: staging)
        try scratch.write([], to: "v2/staging")
        let digest = try await store.keep([1, 2, 3])
        #expect(FileManager.default.fileExists(atPath: scratch.blob(digest)))
        #expect(store.status.trouble == nil)
    }

    @Test func `a database that can't be written is named with its owner`() throws {
        try scratch.write([], to: "file")
        try FileManager.default.createDirectory(
            atPath: scratch.path + "/v2/index", withIntermediateDirectories: true)
        let path = scratch.path + "/v2/index/pictures.sqlite"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        let error = try #require(throws: StoreError.self) {
            try Index(root: scratch.path)
        }
        #expect(error.isOfOneFile && error.description.contains(path), "\(error)")
        #expect(error.description.contains("It belongs to \(Account.name(geteuid()))"), "\(error)")
    }

    @Test func `a favorite that was added after the cache was emptied is kept`() async throws {
        let events = Watched<[StoreEvent]>([])
        let userData = try UserData(
            root: scratch.path, policy: policy { event in events.change { $0.append(event) } })
        _ = try await userData.addFavorite("a/b/1", at: day(1))
        try FileManager.default.removeItem(atPath: scratch.path + "/v2")
        _ = try await userData.addFavorite("a/b/2", at: day(2))
        #expect(try await userData.favorites().map(\.item) == ["a/b/2"])
        try userData.close()
        let again = try UserData(root: scratch.path)
        #expect(try await again.favorites().map(\.item) == ["a/b/2"])
        try again.close()
        let path = scratch.path + "/v2/index/keepsakes.sqlite"
        #expect(events.value.contains(.removed(path: path)))
    }

    @Test func `an index that was removed or replaced is reopened, and takes what is recorded`()
        async throws
    {
        let index = try Index(root: scratch.path, policy: policy())
        let blobs = try BlobStore(root: scratch.path, policy: policy())
        try await index.record(.sample("before", Digest(of: [1])))
        try FileManager.default.removeItem(atPath: scratch.path + "/v2")
        try await index.record(.sample("after", Digest(of: [2])))
        #expect(try await index.original(url: "before") == nil)
        #expect(try await index.original(url: "after") != nil)
        let digest = try await blobs.keep([1, 2, 3])
        #expect(FileManager.default.fileExists(atPath: scratch.blob(digest)))
        #expect(blobs.status.trouble == nil && index.status.trouble == nil)
        // Another cache takes its place, as a restored backup does.
        let other = try StoreScratch()
        let restored = try Index(root: other.path)
        try await restored.record(.sample("restored", Digest(of: [3])))
        try restored.close()
        try FileManager.default.moveItem(
            atPath: scratch.path + "/v2", toPath: scratch.path + "/old")
        try FileManager.default.moveItem(
            atPath: other.path + "/v2", toPath: scratch.path + "/v2")
        await index.openAnewIfRemoved()
        #expect(try await index.original(url: "restored") != nil)
        try await index.record(.sample("last", Digest(of: [4])))
        try index.close()
        let again = try Index(root: scratch.path)
        #expect(try await again.original(url: "restored") != nil)
        #expect(try await again.original(url: "last") != nil)
        try again.close()
    }

    @Test(arguments: [
        ("originals", "width", "-1"), ("originals", "width", "0"),
        ("originals", "height", "9223372036854775807"), ("originals", "byteCount", "-9"),
        ("originals", "freshUntil", "9000000000000000"), ("pictures", "width", "0"),
        ("pictures", "height", "-5"), ("pictures", "width", "9223372036854775807"),
        ("thumbnails", "width", "0"), ("thumbnails", "height", "4294967296"),
        ("thumbnails", "byteCount", "-1"),
    ])
    func `an impossible value in a row counts as missing, is named, and is made again`(
        table: String, column: String, value: String
    ) async throws {
        let events = Watched<[StoreEvent]>([])
        let index = try Index(
            root: scratch.path, policy: policy { event in events.change { $0.append(event) } })
        let one = ThumbnailKey.sample()
        var other = one
        other.level = "l:640x960"
        let summary = SummaryRecord(
            original: one.original, thumbHash: [1, 2, 3], color: "#405060", width: 3, height: 4)
        func record(_ keys: [ThumbnailKey]) async throws {
            try await index.record(
                originals: [.sample("u", one.original)], summaries: [summary],
                thumbnails: keys.map { .sample($0, Digest(of: [9])) },
                items: [.sample("a/b/1", one.level, one.original)])
        }
        try await record([one, other])
        try await index.write { database in
            let only =
                table == "thumbnails"
                ? " WHERE rendition = (SELECT id FROM renditions WHERE level = '\(one.level)')" : ""
            try database.execute(sql: "UPDATE \(table) SET \(column) = \(value)\(only)")
        }
        let original = try await index.original(url: "u")
        #expect((original == nil) == (table == "originals"))
        #expect((try await index.summary(of: one.original) == nil) == (table == "pictures"))
        let levels = try await index.thumbnails(of: one.original).map(\.key.level)
        #expect(levels == (table == "thumbnails" ? [other.level] : [other.level, one.level]))
        _ = try await index.shown(items: ["a/b/1"])
        let isNamed = events.value.contains { event in
            if case .unreadable(let error) = event {
                "\(error)".contains("a row has an unexpected value")
            } else {
                false
            }
        }
        #expect(isNamed)
        try await record([one])
        #expect(try await index.original(url: "u") != nil)
        #expect(try await index.summary(of: one.original)?.width == 3)
        #expect(try await index.thumbnails(of: one.original).count == 2)
        try index.close()
    }
}
