import Foundation
import Glibc

/// What a program has synced below a directory: of everything else, a power cut leaves any part. Syncs themselves do
/// nothing.
///
/// `Tools/attack/powercut/unsynced.c`, which is preloaded into the program, keeps the records.
package struct SyncWatch: Sendable {
    package let root: String
    private let directory: TemporaryDirectory
    private let library: String

    /// Whether there is a compiler for the library.
    package static var isPossible: Bool { compiler != nil }

    private static let compiler = (ProcessInfo.processInfo.environment["PATH"] ?? "")
        .split(separator: ":").flatMap { [$0 + "/clang", $0 + "/cc"] }
        .first { FileManager.default.isExecutableFile(atPath: String($0)) }.map { String($0) }

    package struct Failure: Error {
        package var sentence: String
    }

    /// Compiles the library.
    ///
    /// - Parameter root: absolute, and without links, as the kernel names it.
    package init(root: String) async throws {
        self.root = root
        directory = try TemporaryDirectory()
        library = directory.file("unsynced.so")
        let source = URL(filePath: #filePath)
            .appending(path: "../../../Tools/attack/powercut/unsynced.c")
        let arguments = [
            "-shared", "-fPIC", "-O1", "-o", library, source.standardized.path, "-ldl",
        ]
        let program = try ChildProgram(Self.compiler ?? "cc", arguments)
        guard await program.status() == 0 else { throw Failure(sentence: "no library") }
        for kind in ["data", "names"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(kind), withIntermediateDirectories: true)
        }
    }

    /// Of a program that is watched.
    package var environment: [String: String] {
        [
            "LD_PRELOAD": library, "POWERCUT_ROOT": root, "POWERCUT_SHADOW": directory.path,
        ]
    }

    /// The directory of the records of files (`data`) and of directories (`names`), by their inodes.
    package func records(_ kind: String) -> String { directory.file(kind) }

    /// Returns the content of a file when it was synced last; nil if it never was.
    package func synced(_ path: String) throws -> [UInt8]? {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Failure(sentence: "\(path) is missing") }
        let record = "\(records("data"))/\(status.st_ino)"
        guard FileManager.default.fileExists(atPath: record) else { return nil }
        return Array(try Data(contentsOf: URL(filePath: record)))
    }

    /// The names that files got while bytes of them were not synced, in the order in which they got them.
    package func earlyNames() throws -> [String] {
        let file = directory.file("early")
        guard FileManager.default.fileExists(atPath: file) else { return [] }
        return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map {
            String($0)
        }
    }
}
