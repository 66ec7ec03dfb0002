import Foundation

/// The built program as its users run it.
enum Executable {
    struct Finished {
        var status: Int32
        var output: String
        var error: String
    }

    /// Runs to the end; `environment` is all that the program sees.
    static func run(
        _ arguments: [String], in directory: String, environment: [String: String] = [:]
    ) async throws -> Finished {
        let process = Process()
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "vitrine")
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: directory)
        process.environment = environment
        let output = "\(directory)/.output"
        let error = "\(directory)/.error"
        try writeFile(output, "")
        try writeFile(error, "")
        process.standardOutput = try FileHandle(forWritingTo: URL(filePath: output))
        process.standardError = try FileHandle(forWritingTo: URL(filePath: error))
        try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Finished(
            status: process.terminationStatus,
            output: try String(contentsOfFile: output, encoding: .utf8),
            error: try String(contentsOfFile: error, encoding: .utf8))
    }
}
