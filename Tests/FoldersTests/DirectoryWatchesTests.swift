import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Folders

@Suite(.timeLimit(.minutes(1))) struct DirectoryWatchesTests {
    /// A folder whose reported changes are kept.
    private struct Watching {
        var fixture: FolderFixture
        let watches: DirectoryWatches
        let files: FolderFiles
        let changed = Watched<[String]>([])

        init(_ names: [String], limit: Int = 100, links: Bool = false) throws {
            fixture = try FolderFixture(names)
            fixture.folder.followsLinks = links
            watches = DirectoryWatches(maxWatches: limit)
            files = FolderFiles(fixture.folder, watches: watches)
            let changed = changed
            watches.start { changes in
                changed.change { $0 += changes.flatMap(\.files) }
            }
        }

        func wait(_ file: String) async { _ = await changed.wait { $0.contains(file) } }
    }

    @Test func `a file is unchanged from the look until its change`() async throws {
        let watching = try Watching(["a/b/c.jpg", "a/b/d.jpg"])
        let files = watching.files
        #expect(!files.isUnchanged("a/b/c.jpg"))
        _ = try files.look("a/b/c.jpg")
        _ = try files.look("a/b/d.jpg")
        #expect(files.isUnchanged("a/b/c.jpg"))
        try watching.fixture.write("a/b/c.jpg", "other")
        await watching.wait("a/b/c.jpg")
        #expect(!files.isUnchanged("a/b/c.jpg"))
        #expect(files.isUnchanged("a/b/d.jpg"))
    }

    @Test func `a file that looks the same by its name stays unchanged`() async throws {
        let (composed, decomposed) = ("\u{E9}/\u{E9}.jpg", "e\u{301}/\u{E9}.jpg")
        let watching = try Watching([composed, decomposed, "\u{E9}/e\u{301}.jpg"])
        _ = try watching.files.look(composed)
        _ = try watching.files.look(decomposed)
        try watching.fixture.write("\u{E9}/e\u{301}.jpg", "other")
        try watching.fixture.write(composed, "other")
        await watching.wait(composed)
        #expect(watching.changed.value.map { Array($0.utf8) } == [Array(composed.utf8)])
        #expect(!watching.files.isUnchanged(composed))
        #expect(watching.files.isUnchanged(decomposed))
    }

    @Test func `a change counts for the next caller, however late events are taken`() throws {
        let watching = try Watching(["a.jpg", "b.jpg", "d/c.jpg"])
        watching.watches.queue.suspend()
        defer { watching.watches.queue.resume() }
        for path in ["a.jpg", "b.jpg", "d/c.jpg"] { _ = try watching.files.look(path) }
        try watching.fixture.write("b.jpg", "other")
        watching.files.takeChanges()
        #expect(!watching.files.isUnchanged("b.jpg"))
        #expect(watching.files.isUnchanged("a.jpg"))
        #expect(watching.changed.value == ["b.jpg"])
        // Before the file counts as unchanged again, what is in memory is dropped.
        try watching.fixture.write("a.jpg", "other")
        _ = try watching.files.look("a.jpg")
        #expect(watching.changed.value == ["b.jpg", "a.jpg"])
        #expect(rename(watching.fixture.path("d"), watching.fixture.path("e")) == 0)
        watching.files.takeChanges()
        #expect(!watching.files.isUnchanged("d/c.jpg"))
    }

    @Test(arguments: ["remove", "rename", "replace", "touch", "mode"])
    func `every way to change a file is noticed`(way: String) async throws {
        let watching = try Watching(["a.jpg", "new"])
        let path = watching.fixture.path("a.jpg")
        _ = try watching.files.look("a.jpg")
        switch way {
        case "remove": #expect(unlink(path) == 0)
        case "rename": #expect(rename(path, watching.fixture.path("b.jpg")) == 0)
        case "replace": #expect(rename(watching.fixture.path("new"), path) == 0)
        case "touch": #expect(utimes(path, nil) == 0)
        default: #expect(chmod(path, 0o600) == 0)
        }
        await watching.wait("a.jpg")
        #expect(!watching.files.isUnchanged("a.jpg"))
    }

    @Test func `files of a directory that is moved count as changed`() async throws {
        let watching = try Watching(["a/b/c.jpg", "d/e.jpg"])
        _ = try watching.files.look("a/b/c.jpg")
        _ = try watching.files.look("d/e.jpg")
        #expect(rename(watching.fixture.path("a"), watching.fixture.path("z")) == 0)
        await watching.wait("a/b/c.jpg")
        #expect(!watching.files.isUnchanged("a/b/c.jpg"))
        #expect(watching.files.isUnchanged("d/e.jpg"))
        _ = try watching.files.look("z/b/c.jpg")
        #expect(watching.files.isUnchanged("z/b/c.jpg"))
    }

    @Test func `a name without a file is noticed when a file gets it`() async throws {
        let watching = try Watching(["a.png"])
        _ = try watching.files.look("a.png")
        #expect(throws: FolderError.notFound) { try watching.files.look("a.png.webp") }
        #expect(watching.files.isAbsent("a.png.webp"))
        try watching.fixture.write("a.png.webp")
        await watching.wait("a.png.webp")
        // What was shown for the name was made from the other file.
        await watching.wait("a.png")
        #expect(!watching.files.isAbsent("a.png.webp"))
    }

    @Test func `over the limit older watches end, and their files count as changed`() async throws {
        let watching = try Watching(["a/1.jpg", "b/1.jpg", "c/1.jpg", "d/1.jpg"], limit: 3)
        for directory in ["a", "b", "c", "d"] { _ = try watching.files.look("\(directory)/1.jpg") }
        await watching.wait("a/1.jpg")
        #expect(watching.watches.count <= 3)
        #expect(!watching.files.isUnchanged("a/1.jpg"))
    }

    @Test func `files behind links and with several names are not taken for unchanged`() throws {
        let watching = try Watching(["a.jpg", "d/b.jpg"], links: true)
        try watching.fixture.link("l.jpg", to: "a.jpg")
        try watching.fixture.link("l", to: "d")
        #expect(
            link(watching.fixture.path("d/b.jpg"), watching.fixture.path("second.jpg")) == 0)
        for path in ["l.jpg", "l/b.jpg", "second.jpg"] {
            _ = try watching.files.look(path)
            #expect(!watching.files.isUnchanged(path), "\(path)")
        }
    }

    @Test func `lost events make every file count as changed`() async throws {
        let watching = try Watching(["a/1.jpg", "b/1.jpg"])
        _ = try watching.files.look("a/1.jpg")
        _ = try watching.files.look("b/1.jpg")
        watching.watches.apply(overflow: ())
        #expect(Set(watching.changed.value) == ["a/1.jpg", "b/1.jpg"])
        #expect(watching.watches.count == 0)
        _ = try watching.files.look("a/1.jpg")
        #expect(watching.files.isUnchanged("a/1.jpg"))
    }

    @Test(arguments: [(1_000_000, 32_768), (65_536, 32_768), (8_192, 4_096), (1, 1)])
    func `half of the kernel's watches are taken, up to a bound`(allowed: Int, limit: Int) {
        #expect(DirectoryWatches.limit(ofUser: allowed) == limit)
    }
}
