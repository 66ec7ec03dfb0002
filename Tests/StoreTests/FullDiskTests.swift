import Foundation
import TestSupport
import Testing

@testable import Store

@Suite(
    .timeLimit(.minutes(1)),
    .enabled("needs a private mount of a small tmpfs") { try await PrivateMount.isAllowed() })
struct FullDiskTests {
    @Test func `a full disk is reported and damages nothing`() async throws {
        let scratch = try StoreScratch()
        let lines = try await lines("fill", scratch.path, PrivateMount.smallDisk(at: scratch.path))
        let full = StoreError.diskFull(path: scratch.path)
        #expect(
            lines == [
                "blobs \(full)", "known true", "sound true", "strays 0", "rows \(full)",
                "rows kept true", "goes on true",
            ])
    }

    /// Runs a command for which the directory can't be written.
    private static func readOnlyDisk(at directory: String) -> [String] {
        PrivateMount.wrapper(
            "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\"", at: directory)
    }

    private func lines(
        _ task: String, _ root: String, _ wrapper: [String], more: [String] = []
    ) async throws -> [String] {
        try await ChildProcess(task: task, root: root, more: more, wrapper: wrapper).lines()
    }

    @Test(arguments: ["move-full", "move-read-only"])
    func `favorites of an earlier layout are shown from a disk that takes no copy of them`(
        task: String
    ) async throws {
        let (scratch, made) = (try StoreScratch(), try StoreScratch())
        try await made.makeEarlierLayout()
        if task == "move-full" {
            let lines = try await lines(
                task, scratch.path, PrivateMount.smallDisk(at: scratch.path, megabytes: 22),
                more: [made.path])
            #expect(lines == ["favorites 3"])
        } else {
            let lines = try await lines("favorites", made.path, Self.readOnlyDisk(at: made.path))
            #expect(lines == ["favorites 3"])
            #expect(try made.names("") == ["v1"])
        }
    }

    @Test func `rows are removed on a full disk`() async throws {
        let scratch = try StoreScratch()
        let lines = try await lines("free", scratch.path, PrivateMount.smallDisk(at: scratch.path))
        #expect(
            lines == [
                "full true", "item true", "missing 300", "items 1", "all true", "items 0",
                "sound true",
            ])
    }

    @Test func `on a full disk the store opens, works from memory and writes everything later`()
        async throws
    {
        let scratch = try StoreScratch()
        let lines = try await lines("go-on", scratch.path, PrivateMount.smallDisk(at: scratch.path))
        #expect(
            lines == [
                "favorites 0", "favorite refused", "blob true", "row true", "trouble true",
                "counted true",
                "favorite added", "saved true", "row saved true",
            ])
    }

    @Test
    func `the cache gives way to other files, and everything that frees space works without any`()
        async throws
    {
        let scratch = try StoreScratch()
        let lines = try await lines(
            "shrink", scratch.path, PrivateMount.smallDisk(at: scratch.path, megabytes: 16))
        #expect(
            lines == [
                "shrunk true", "free true", "free after a put true", "evicted true",
                "blobs are gone true", "garbage 1 1 true", "removed true", "garbage 1", "rows 0",
                "goes on true",
            ])
    }

    @Test func `a read-only disk is read, and new data stays in memory`() async throws {
        let scratch = try StoreScratch()
        let (blobs, index) = (
            try BlobStore(root: scratch.path), try Index(root: scratch.path)
        )
        let userData = try UserData(root: scratch.path)
        try await index.record(.sample("u", try await blobs.put([1])))
        _ = try await userData.addFavorite("a/b/1", at: day(1))
        try userData.close()
        try index.close()
        let lines = try await lines(
            "read-only", scratch.path, Self.readOnlyDisk(at: scratch.path))
        #expect(lines == ["blob true", "row true", "favorites 1", "kept true", "rows 1"])
    }
}
