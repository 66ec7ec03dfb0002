import Foundation
import Glibc
import TestSupport
import Testing

@testable import Folders

@Suite(.timeLimit(.minutes(1))) struct FolderTreeTests {
    @Test(arguments: [
        "a.jpg", "b/c/d.jpg", "no extension", "100% #1?.jpg", "ünïcödé 画像.png", "a+b&c=d;e.gif",
        "..a.jpg.", "'\"<>.jpg", "-rf.jpg", "%41.jpg", " .jpg", "b/\u{301}accent first.jpg",
        "\u{202E}gpj.a", "👩‍👩‍👧.jpg",
    ])
    func `a file is read by the name that it has`(name: String) throws {
        var fixture = try FolderFixture([name])
        fixture.folder.showsHidden = true
        #expect(try fixture.read(name) == name)
    }

    @Test(arguments: [
        "", "/", "../secret.jpg", "a/../../secret.jpg", "/etc/passwd", "./a.jpg", "a.jpg/",
        "//a.jpg",
        "a/./b.jpg", "nothing.jpg", "a.jpg/b.jpg", "a", "\u{7}.jpg", ".hidden.jpg", ".git/a.jpg",
        "/proc/self/exe",
    ])
    func `a path that names no file of the folder is not found`(path: String) throws {
        let fixture = try FolderFixture(["a.jpg", "a/b.jpg", ".hidden.jpg", ".git/a.jpg"])
        try Data("secret".utf8).write(
            to: URL(fileURLWithPath: fixture.directory.file("secret.jpg")))
        #expect(fixture.refusal(path) == .notFound)
    }

    @Test func `a path of ten thousand bytes and a name of three hundred are not found`() throws {
        let fixture = try FolderFixture(["a.jpg"])
        #expect(fixture.refusal(String(repeating: "a/", count: 5_000) + "b") == .notFound)
        #expect(fixture.refusal(String(repeating: "a", count: 300)) == .notFound)
    }

    @Test func `links are followed by setting, and never out of the folder`() throws {
        var fixture = try FolderFixture(["a.jpg", "d/b.jpg"])
        try Data("secret".utf8).write(
            to: URL(fileURLWithPath: fixture.directory.file("secret.jpg")))
        try fixture.link("inside.jpg", to: "d/b.jpg")
        try fixture.link("dir", to: "d")
        let ways = [
            ("out.jpg", "../secret.jpg"), ("absolute.jpg", fixture.directory.file("secret.jpg")),
            ("magic.jpg", "/proc/self/exe"), ("root", "/"), ("up", ".."), ("loop", "loop"),
            ("own.jpg", fixture.path("a.jpg")),
        ]
        for (name, target) in ways { try fixture.link(name, to: target) }
        #expect(fixture.refusal("inside.jpg") == .notFound)
        #expect(fixture.refusal("dir/b.jpg") == .notFound)
        fixture.folder.followsLinks = true
        #expect(try fixture.read("inside.jpg") == "d/b.jpg")
        #expect(try fixture.read("dir/b.jpg") == "d/b.jpg")
        for (name, _) in ways { #expect(fixture.refusal(name) == .notFound, "\(name)") }
        #expect(fixture.refusal("up/secret.jpg") == .notFound)
        #expect(fixture.refusal("root/etc/passwd") == .notFound)
        let list = try fixture.tree.list("")
        #expect(list.files.map(\.name) == ["a.jpg", "inside.jpg"])
        #expect(list.directories == ["d", "dir"])
    }

    @Test func `hidden files are shown by setting`() throws {
        var fixture = try FolderFixture([".a.jpg", ".d/b.jpg", "c.jpg"])
        #expect(try fixture.tree.list("").files.map(\.name) == ["c.jpg"])
        fixture.folder.showsHidden = true
        #expect(try fixture.read(".d/b.jpg") == ".d/b.jpg")
        #expect(try fixture.tree.list("").files.map(\.name) == [".a.jpg", "c.jpg"])
    }

    @Test func `pipes, sockets, directories and names that are not UTF-8 are not files`() throws {
        let fixture = try FolderFixture(["a.jpg"])
        #expect(mkfifo(fixture.path("pipe.jpg"), 0o666) == 0)
        try fixture.write("directory.jpg/in.jpg")
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: Array(fixture.path("s.jpg").utf8).prefix(bytes.count - 1))
        }
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        let name = Array(fixture.path("").utf8) + [0xFF, 0xFE] + Array(".jpg".utf8) + [0]
        let odd = name.withUnsafeBufferPointer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                $0.baseAddress.map { open($0, O_WRONLY | O_CREAT, 0o666) } ?? -1
            }
        }
        #expect(odd >= 0)
        close(odd)
        // Opening a pipe would wait for its other end.
        for path in ["pipe.jpg", "directory.jpg", "s.jpg", "\u{FFFD}\u{FFFD}.jpg"] {
            #expect(fixture.refusal(path) == .notFound, "\(path)")
        }
        let list = try fixture.tree.list("")
        #expect(list.files.map(\.name) == ["a.jpg"])
        #expect(list.directories == ["directory.jpg"])
    }

    @Test func `a file that grows while it is read is busy`() throws {
        let fixture = try FolderFixture(["a.jpg"])
        let file = try fixture.tree.open("a.jpg")
        try fixture.write("a.jpg", "longer than before")
        #expect(try !fixture.tree.look("a.jpg").stamp.isEmpty)
        let written = try fixture.tree.open("a.jpg")
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: fixture.path("a.jpg")))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("more".utf8))
        try handle.close()
        #expect(throws: FolderError.busy) { try written.bytes(limit: 1 << 20) }
        #expect(throws: FolderError.tooLarge(limit: 3)) { try file.bytes(limit: 3) }
    }

    @Test func `a missing folder says which by its name, because clients read it`() throws {
        let folder = Folder(name: "scans", title: "x", path: "/nowhere/at all")
        let error = #expect(throws: FolderError.self) { try FolderTree(folder).look("a.jpg") }
        #expect(
            error?.description == "The folder “scans” can't be read: No such file or directory.")
    }
}
