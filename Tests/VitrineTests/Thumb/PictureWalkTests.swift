import Foundation
import TestSupport
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct PictureWalkTests {
    private func walk(excluding excluded: String) -> PictureWalk {
        PictureWalk(isPicture: { $0.starts(with: Array("PIC".utf8)) }, excluded: excluded)
    }

    @Test func `a directory stands for the pictures below it, detected by content and sorted`()
        async throws
    {
        try await withScratchDirectory { root in
            for name in ["b.txt", "a/z", "a/b/c.jpg", "C"] {
                try writeFile("\(root)/in/\(name)", "PICTURE")
            }
            try writeFile("\(root)/in/no.jpg", "text")
            try writeFile("\(root)/in/out/old.webp", "PICTURE")
            let link = "\(root)/in/loop"
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "\(root)/in")
            try FileManager.default.createSymbolicLink(
                atPath: "\(root)/in/link", withDestinationPath: "C")
            try writeFile("\(root)/in/.hidden/p", "PICTURE")
            try writeFile("\(root)/in/a/.p", "PICTURE")
            let found = try walk(excluding: "\(root)/in/out/").found(in: ["\(root)/in"]).pictures
            #expect(
                found.map { "\($0.below)|\($0.place)" }
                    == ["|C", "a/b/|a/b/c.jpg", "a/|a/z", "|b.txt", "|link"].map {
                        $0.replacing("|", with: "|\(root)/in/")
                    })
        }
    }

    @Test func `links to directories are followed on request, and cycles end`() async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/in/p", "PICTURE")
            try writeFile("\(root)/other/q", "PICTURE")
            for (name, goal) in [("loop", "../in"), ("more", "../other")] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(root)/in/\(name)", withDestinationPath: goal)
            }
            var walk = walk(excluding: "\(root)/out")
            #expect(try walk.found(in: ["\(root)/in"]).pictures.count == 1)
            walk.followsLinks = true
            #expect(
                try walk.found(in: ["\(root)/in"]).pictures.map(\.below) == ["more/", ""])
        }
    }

    @Test func `what is skipped in directories is counted and named`() async throws {
        try await withScratchDirectory { root in
            for name in ["p", "a/one.txt", "b/two.txt", "three", "x/four", ".git/q", "a/.r"] {
                try writeFile("\(root)/in/\(name)", name == "p" ? "PICTURE" : "text")
            }
            try FileManager.default.createSymbolicLink(
                atPath: "\(root)/in/loop", withDestinationPath: "../in")
            let skipped = try walk(excluding: "\(root)/out").found(in: ["\(root)/in"]).skipped
            #expect(
                skipped.text
                    == "skipped: 4 files without a picture (a/one.txt, b/two.txt, three, …); "
                    + "2 hidden; 1 link to directories, which --follow follows")
            let none = try walk(excluding: "\(root)/out").found(in: ["\(root)/in/p"]).skipped
            #expect(none.text == nil)
        }
    }

    @Test func `a name that is not UTF-8 fails alone`() async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/in/p", "PICTURE")
            try writeFile("\(root)/in/q", "PICTURE")
            let name = "\(root)/in/".utf8.map { CChar(bitPattern: $0) } + [-1, 0x2e, 0x6a, 0]
            let file = open(name, O_CREAT | O_WRONLY, 0o600)
            try #require(file >= 0)
            close(file)
            let found = try walk(excluding: "\(root)/out").found(in: ["\(root)/in"]).pictures
            #expect(found.map { $0.problem == nil } == [true, true, false])
            #expect(found.last?.problem == "The name is not UTF-8. Rename the file.")
        }
    }

    @Test func `input arguments keep their order, even if the files are missing`() async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/d/p", "PICTURE")
            let arguments = ["https://a.example/d", "\(root)/gone", "\(root)/d/", "\(root)/d/p"]
            let found = try walk(excluding: "\(root)/out").found(in: arguments).pictures
            #expect(
                found.map(\.place) == [
                    .url("https://a.example/d"), .file("\(root)/gone"), .file("\(root)/d/p"),
                    .file("\(root)/d/p"),
                ])
            #expect(found.map(\.isInDirectory) == [false, false, true, false])
        }
    }
}
