import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Folders

@Suite(.timeLimit(.minutes(1))) struct DirectoryListsTests {
    @Test func `pages of a directory are sorted by name or by time`() throws {
        let fixture = try FolderFixture(["b.jpg", "a.jpg", "c.jpg", "d/e.jpg"])
        for (name, seconds) in [("b.jpg", 3.0), ("a.jpg", 1), ("c.jpg", 2)] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: seconds)],
                ofItemAtPath: fixture.path(name))
        }
        let lists = DirectoryLists(fixture.tree)
        let byName = try lists.page("", by: .name, files: 0..<2, directories: 0..<9)
        #expect(byName.files == ["a.jpg", "b.jpg"])
        #expect(byName.total == 3)
        #expect(byName.directories == ["d"])
        #expect(try lists.page("", by: .name, files: 2..<4).files == ["c.jpg"])
        #expect(
            try lists.page("", by: .time, files: 0..<9).files == ["b.jpg", "c.jpg", "a.jpg"])
        #expect(try lists.page("d", by: .name, files: 0..<9).files == ["d/e.jpg"])
        let beyond = try lists.page("", by: .time, files: 3..<9, directories: 1..<9)
        #expect(beyond.files == [] && beyond.directories == [])
        #expect(beyond.total == 3 && beyond.totalDirectories == 1)
        #expect(throws: FolderError.notFound) {
            try lists.page("none", by: .name, files: 0..<9)
        }
        #expect(throws: FolderError.notFound) {
            try lists.page("..", by: .name, files: 0..<9)
        }
    }

    @Test func `names that look the same are names of their own`() throws {
        // é in one character and in two, and an accent that begins a name.
        let names = [
            "e\u{301}/a.jpg", "\u{E9}/a.jpg", "e\u{301}.jpg", "\u{E9}.jpg", "d/\u{301}.jpg",
        ]
        let fixture = try FolderFixture(names)
        let lists = DirectoryLists(fixture.tree) { _ in true }
        func bytes(_ paths: [String]) -> Set<[UInt8]> { Set(paths.map { Array($0.utf8) }) }
        for limit in 1...5 {
            let seen = try lists.all(limit)
            #expect(seen.count == 5 && bytes(seen) == bytes(names), "\(limit)")
        }
        for directory in ["e\u{301}", "\u{E9}"] {
            let page = try lists.page(directory, by: .name, files: 0..<9)
            #expect(bytes(page.files) == bytes(["\(directory)/a.jpg"]))
        }
        for order in DirectoryLists.Order.allCases {
            let pages = try (0..<2).flatMap { start in
                try lists.page("", by: order, files: start..<start + 1).files
            }
            #expect(bytes(pages) == bytes(Array(names[2...3])))
        }
    }

    @Test func `a directory that doesn't change is read once for all of its pages`() throws {
        let count = 3_000
        let fixture = try FolderFixture()
        for number in 0..<count {
            #expect(
                FileManager.default.createFile(
                    atPath: fixture.path("\(10_000 + number).jpg"), contents: nil))
        }
        let lists = DirectoryLists(fixture.tree) { _ in true }
        _ = try lists.page("", by: .name, files: 0..<1)
        let reads = lists.reads.load(ordering: .relaxed)
        var seen: [String] = []
        for start in stride(from: 0, to: count, by: 100) {
            seen += try lists.page("", by: .name, files: start..<start + 100).files
        }
        #expect(seen.count == count && seen == seen.sorted())
        #expect(lists.reads.load(ordering: .relaxed) == reads)
        try fixture.write("zzz.jpg")
        #expect(try lists.page("", by: .name, files: count..<count + 9).files == ["zzz.jpg"])
    }

    @Test func `a tree is listed in pages of any size, without links to directories`() throws {
        var fixture = try FolderFixture([
            "b.jpg", "a/z.jpg", "a/b/1.jpg", "a/b/2.jpg", "c.d/e.jpg", "c/f.jpg", ".h/g.jpg",
        ])
        fixture.folder.followsLinks = true
        try fixture.link("loop", to: ".")
        try fixture.link("l.jpg", to: "b.jpg")
        let all = [
            "b.jpg", "l.jpg", "a/z.jpg", "a/b/1.jpg", "a/b/2.jpg", "c/f.jpg", "c.d/e.jpg",
        ]
        let lists = DirectoryLists(fixture.tree)
        for limit in 1...8 {
            let seen = try lists.all(limit)
            #expect(seen == all, "\(limit)")
        }
        #expect(
            try lists.page(below: "a", after: nil, limit: 9).files == [
                "a/z.jpg", "a/b/1.jpg", "a/b/2.jpg",
            ])
        // What the place names may be gone.
        #expect(try lists.page(below: "", after: "a/gone.jpg", limit: 1).files == ["a/z.jpg"])
        #expect(try lists.page(below: "", after: "a/zz/1.jpg", limit: 1).files == ["c/f.jpg"])
        #expect(throws: FolderError.notFound) {
            try lists.page(below: "a", after: "b/1.jpg", limit: 1)
        }
    }
}

extension DirectoryLists {
    /// The names on all pages of a tree. A list without an end stops at a hundred.
    fileprivate func all(_ limit: Int) throws -> [String] {
        var seen: [String] = []
        var after: String?
        repeat {
            let page = try page(below: "", after: after, limit: limit)
            seen += page.files
            after = page.next
        } while after != nil && seen.count < 100
        return seen
    }
}
