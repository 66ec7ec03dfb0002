import Foundation
import Glibc
import TestSupport

@testable import Folders

/// A folder of its own, with files that have their names as content.
struct FolderFixture {
    let directory: TemporaryDirectory
    var folder: Folder

    init(_ files: [String] = []) throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.file("pics"), withIntermediateDirectories: true)
        folder = Folder(name: "pics", title: "Pictures", path: directory.file("pics"))
        for file in files { try write(file) }
    }

    var tree: FolderTree { FolderTree(folder) }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    func write(_ name: String, _ content: String? = nil) throws {
        try writeFile(path(name), content ?? name)
    }

    func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: path(name), withDestinationPath: target)
    }

    func read(_ name: String) throws -> String {
        String(decoding: try tree.open(name).bytes(limit: 1 << 20), as: UTF8.self)
    }

    /// The reason why a file can't be opened.
    func refusal(_ name: String) -> FolderError? {
        do throws(FolderError) {
            _ = try tree.open(name)
            return nil
        } catch {
            return error
        }
    }
}
