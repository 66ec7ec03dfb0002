package import Foundation

/// Recorded answers of the real APIs, which lie beside the tests.
package enum Recordings {
    /// Each source has a folder of its own.
    package static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/recordings")

    /// The recording of that name, `tvmaze/shows-page-0`.
    package static func text(_ name: String) throws -> String {
        try String(contentsOf: directory.appendingPathComponent("\(name).json"), encoding: .utf8)
    }

    /// The names of all recordings of a source, without their folder, in order.
    package static func names(of source: String) throws -> [String] {
        let folder = directory.appendingPathComponent(source)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }.sorted()
    }
}
