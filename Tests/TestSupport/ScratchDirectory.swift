import Foundation

/// Runs the body with the path of a new directory, which is removed afterward.
package func withScratchDirectory<Value>(
    _ body: (String) async throws -> Value
) async throws -> Value {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    return try await body(directory.path)
}

/// Writes a file, and creates the directories above it.
package func writeFile(_ path: String, _ text: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
}
