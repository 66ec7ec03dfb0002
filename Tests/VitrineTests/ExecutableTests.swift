import ArgumentParser
import Foundation
import Testing

@testable import vitrine

/// Runs the built program as its users do.
@Suite struct ExecutableTests {
    struct Finished {
        var status: Int32
        var output: String
        var error: String
    }

    private func run(
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
        try await withCheckedThrowingContinuation { continuation in
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

    @Test(arguments: [
        (["frobnicate"], [:], 64, "vitrine: There is no command \"frobnicate\"; choose "),
        (["thumb"], [:], 64, "vitrine: Missing expected argument '<input> ...'; see "),
        (
            ["config", "--log-level", "loud"], [:], 64,
            "vitrine: --log-level is \"loud\"; expected "
        ),
        (["config", "--config", "none"], [:], 78, "vitrine: Can't read none: No such file or dir"),
        (
            ["config"], ["VITRINE_SERVER_PORT": "http"], 78,
            "vitrine: VITRINE_SERVER_PORT is \"http\"; expected a whole number from 0 to 65535"
        ),
        (["cache", "stats"], [:], 1, "vitrine: There is no directory cache; check --cache."),
    ])
    func `a failure is one line on standard error and a status`(
        arguments: [String], environment: [String: String], status: Int32, begin: String
    ) async throws {
        try await withScratchDirectory { directory in
            let finished = try await run(arguments, in: directory, environment: environment)
            #expect(finished.status == status)
            #expect(finished.output.isEmpty)
            #expect(finished.error.hasPrefix(begin), "\(finished.error)")
            #expect(finished.error.filter { $0 == "\n" }.count == 1)
        }
    }

    @Test func `help and version go to standard output`() async throws {
        try await withScratchDirectory { directory in
            let help = try await run(["config", "--help"], in: directory)
            #expect(help.status == 0)
            #expect(help.output.contains("USAGE: vitrine config"))
            #expect(help.error.isEmpty)
            let version = try await run(["--version"], in: directory)
            #expect(version.output == "\(Vitrine.configuration.version)\n")
        }
    }

    @Test func `config/vitrine.yaml is read where it exists`() async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/config/vitrine.yaml", "server: {port: 4711}\n")
            let finished = try await run(["config"], in: directory)
            #expect(finished.status == 0)
            let line = finished.output.split(separator: "\n").first { $0.hasPrefix("server.port") }
            #expect(
                line?.split(separator: " ")
                    == ["server.port", "4711", "file", "config/vitrine.yaml:1"])
            try writeFile("\(directory)/config/vitrine.yaml", "server: {prot: 4711}\n")
            let wrong = try await run(["config"], in: directory)
            #expect(wrong.status == 78)
            #expect(
                wrong.error
                    == "vitrine: config/vitrine.yaml: unknown key \"server.prot\"; did you mean "
                    + "\"server.port\"?\n")
        }
    }
}
