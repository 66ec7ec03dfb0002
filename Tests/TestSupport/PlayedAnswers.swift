package import Foundation

/// Answers of APIs that only a configuration describes, written by their documentation.
package enum PlayedAnswers {
    package static let project = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The answer of that name in `Tests/Fixtures/sources`.
    package static func text(_ name: String) throws -> String {
        try String(
            contentsOf: project.appending(path: "Tests/Fixtures/sources/\(name)"), encoding: .utf8)
    }
}
