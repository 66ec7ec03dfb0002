import Foundation
import TestSupport
import Testing

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
            let places = try walk(excluding: "\(root)/in/out/").places(of: ["\(root)/in"])
            #expect(
                places.map(\.description)
                    == ["C", "a/b/c.jpg", "a/z", "b.txt", "link"].map { "\(root)/in/\($0)" })
        }
    }

    @Test func `input arguments keep their order, even if the files are missing`() async throws {
        try await withScratchDirectory { root in
            try writeFile("\(root)/d/p", "PICTURE")
            let arguments = ["https://a.example/d", "\(root)/gone", "\(root)/d/", "\(root)/d/p"]
            let places = try walk(excluding: "\(root)/out").places(of: arguments)
            #expect(
                places == [
                    .url("https://a.example/d"), .file("\(root)/gone"), .file("\(root)/d/p"),
                    .file("\(root)/d/p"),
                ])
        }
    }
}
