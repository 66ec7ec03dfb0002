import Foundation

/// The built program as its users run it.
package enum Executable {
    package struct Finished {
        package var status: Int32
        package var output: String
        package var error: String
    }

    /// Runs to the end; `environment` is all that the program sees.
    package static func run(
        _ arguments: [String], in directory: String, environment: [String: String] = [:],
        program: String = ChildPrograms.vitrine
    ) async throws -> Finished {
        let output = "\(directory)/.output"
        let error = "\(directory)/.error"
        try writeFile(output, "")
        try writeFile(error, "")
        let program = try ChildProgram(
            program, arguments, directory: directory, environment: environment,
            output: FileHandle(forWritingTo: URL(filePath: output)),
            error: FileHandle(forWritingTo: URL(filePath: error)))
        let status = await program.status()
        return Finished(
            status: status,
            output: try String(contentsOfFile: output, encoding: .utf8),
            error: try String(contentsOfFile: error, encoding: .utf8))
    }
}
