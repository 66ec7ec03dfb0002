import Foundation
import TestSupport
import Testing

@testable import Store

@Suite(.timeLimit(.minutes(1)))
struct FullDiskTests {
    /// Runs a command with a small tmpfs at the directory, which only it can see and which goes with
    /// it.
    private static func smallDisk(at directory: String, megabytes: Int = 2) -> [String] {
        let script = "mount -t tmpfs -o size=\(megabytes)m tmpfs \"$0\" && exec \"$@\""
        return ["/usr/bin/unshare", "-rm", "sh", "-c", script, directory]
    }

    /// Runs a command for which the directory can't be written.
    private static func readOnlyDisk(at directory: String) -> [String] {
        let script = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\""
        return ["/usr/bin/unshare", "-rm", "sh", "-c", script, directory]
    }

    private static func canMount() async throws -> Bool {
        let scratch = try StoreScratch()
        let command = smallDisk(at: scratch.path) + ["true"]
        do {
            let program = try ChildProgram(command[0], Array(command.dropFirst()))
            return await program.status() == 0
        } catch {
            return false
        }
    }

    @Test(.enabled("needs a private mount of a small tmpfs") { try await canMount() })
    func `a full disk is reported and damages nothing`() async throws {
        let scratch = try StoreScratch()
        let child = try ChildProcess(
            task: "fill", root: scratch.path, wrapper: Self.smallDisk(at: scratch.path))
        let lines = try await blocking {
            var lines: [String] = []
            try child.readLines { line in
                lines.append(line)
                return true
            }
            return lines
        }
        _ = await child.status()
        let full = StoreError.diskFull(path: scratch.path)
        #expect(
            lines == [
                "blobs \(full)", "known true", "sound true", "strays 0", "rows \(full)",
                "rows kept true", "goes on true",
            ])
    }

    private func lines(
        _ task: String, _ root: String, _ wrapper: [String], more: [String] = []
    ) async throws -> [String] {
        let child = try ChildProcess(task: task, root: root, more: more, wrapper: wrapper)
        let lines = try await blocking {
            var lines: [String] = []
            try child.readLines { line in
                lines.append(line)
                return true
            }
            return lines
        }
        _ = await child.status()
        return lines
    }

    @Test(.enabled("needs a private mount of a small tmpfs") { try await canMount() })
    func `favorites of version 0.9 move on a full disk, and its pictures make room`()
        async throws
    {
        let (scratch, made) = (try StoreScratch(), try StoreScratch())
        _ = try EarlierCache(in: made.path)
        let lines = try await lines(
            "move-full", scratch.path, Self.smallDisk(at: scratch.path, megabytes: 22),
            more: [made.path])
        #expect(lines == ["favorites 3"])
    }

    @Test(.enabled("needs a private mount of a small tmpfs") { try await canMount() })
    func `favorites of version 0.9 are shown from a disk that takes no copy of them`()
        async throws
    {
        let scratch = try StoreScratch()
        _ = try EarlierCache(in: scratch.path)
        let lines = try await lines(
            "favorites", scratch.path, Self.readOnlyDisk(at: scratch.path))
        #expect(lines == ["favorites 3"])
        #expect(try scratch.names("") == ["v1"])
    }

    @Test(.enabled("needs a private mount of a small tmpfs") { try await canMount() })
    func `rows are removed on a full disk`() async throws {
        let scratch = try StoreScratch()
        let lines = try await lines("free", scratch.path, Self.smallDisk(at: scratch.path))
        #expect(
            lines == [
                "full true", "item true", "missing 300", "items 1", "all true", "items 0",
                "sound true",
            ])
    }

    @Test(.enabled("needs a private mount of a small tmpfs") { try await canMount() })
    func `on a full disk the store opens, works from memory and writes everything later`()
        async throws
    {
        let scratch = try StoreScratch()
        let lines = try await lines("go-on", scratch.path, Self.smallDisk(at: scratch.path))
        #expect(
            lines == [
                "favorites 0", "favorite refused", "blob true", "row true", "trouble true",
                "counted true",
                "favorite added", "saved true", "row saved true",
            ])
    }

    @Test(.enabled("needs a private mount of a small tmpfs") { try await canMount() })
    func `the cache gives way to other files, and everything that frees space works without any`()
        async throws
    {
        let scratch = try StoreScratch()
        let lines = try await lines(
            "shrink", scratch.path, Self.smallDisk(at: scratch.path, megabytes: 16))
        #expect(
            lines == [
                "shrunk true", "free true", "free after a put true", "evicted true",
                "blobs are gone true", "garbage 1 1 true", "removed true", "garbage 1", "rows 0",
                "goes on true",
            ])
    }

    @Test(.enabled("needs a private mount of a small tmpfs") { try await canMount() })
    func `a read-only disk is read, and new data stays in memory`() async throws {
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
