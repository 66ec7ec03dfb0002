import Foundation

/// Runs the body with the path of a fresh directory, which is gone afterwards.
func withScratchDirectory<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer {
        do {
            try FileManager.default.removeItem(at: directory)
        } catch {
            print("\(directory.path) stays behind: \(error)")
        }
    }
    return try await body(directory.path)
}

func writeFile(_ path: String, _ text: String) throws {
    let url = URL(filePath: path)
    try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
}
