package import Foundation

/// Answers of APIs that lie in `Tests/Fixtures`: recorded ones of the built-in sources, and written ones
/// of sources that only a configuration describes.
package enum Fixtures {
    package static let project = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let folder = project.appending(path: "Tests/Fixtures")
    /// Each source has a folder of its own.
    package static let recordings = folder.appending(path: "recordings")

    /// The recording of that name, `tvmaze/shows-page-0`.
    package static func recording(_ name: String) throws -> String {
        try String(contentsOf: recordings.appending(path: "\(name).json"), encoding: .utf8)
    }

    /// The names of all recordings of a source, without their folder, in order.
    package static func recordings(of source: String) throws -> [String] {
        let folder = recordings.appending(path: source)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }.sorted()
    }

    /// The written answer of that name, by an API's documentation.
    package static func answer(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: "sources/\(name)"), encoding: .utf8)
    }
}
