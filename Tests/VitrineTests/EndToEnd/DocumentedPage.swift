import Fetch
import Foundation
import TestSupport
import Testing

/// A page of `docs/` whose commands are run.
enum DocumentedPage {
    /// The parts of a page between fences, with their languages.
    static func fences(_ page: String) throws -> [(language: String, lines: [String])] {
        let url = Fixtures.project.appending(path: "docs/\(page)")
        var fences: [(language: String, lines: [String])] = []
        var isInside = false
        for line in try String(contentsOf: url, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        {
            if line.hasPrefix("```") {
                isInside.toggle()
                if isInside { fences.append((String(line.dropFirst(3)), [])) }
            } else if isInside {
                fences[fences.count - 1].lines.append(line)
            }
        }
        return fences
    }

    /// Splits a command at its spaces, except within quotes, and drops its comment.
    static func words(_ line: String) -> [String] {
        let command = line.firstRange(of: "  #").map { String(line[..<$0.lowerBound]) } ?? line
        return command.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .flatMap { index, part in
                index.isMultiple(of: 2)
                    ? part.split(separator: " ").map(String.init) : [String(part)]
            }
    }

    /// Writes the files to a directory that a page shows with their names in a first line.
    static func writeFiles(of page: String, to directory: String) throws {
        for fence in try fences(page) where ["yaml", "csv"].contains(fence.language) {
            guard let name = fence.lines.first, name.hasPrefix("# "),
                name.hasSuffix(".\(fence.language)")
            else { continue }
            try writeFile(
                "\(directory)/\(name.dropFirst(2))", fence.lines.joined(separator: "\n") + "\n")
        }
    }

    /// Runs commands, `curl` at the service that one of them starts. Returns how many.
    static func run(
        _ lines: [String], in directory: String, environment: [String: String]
    ) async throws -> Int {
        var served: (running: RunningExecutable, address: String)?
        for line in lines {
            let words = Self.words(line)
            let arguments = Array(words.dropFirst())
            switch words.first {
            case "vitrine" where words[1] == "serve":
                let running = try RunningExecutable(
                    arguments, in: directory, environment: environment)
                let address = try #require(await running.line(after: "vitrine: listening on "))
                served = (running, address)
            case "vitrine":
                let finished = try await Executable.run(
                    arguments, in: directory, environment: environment)
                #expect(finished.status == 0, "\(line): \(finished.output) \(finished.error)")
            case "curl":
                let address = try #require(served?.address)
                let response = try await PlayedTVMaze.get(
                    words[1].replacing("localhost:8080", with: address))
                #expect(response.status == 200 && !response.body.isEmpty, "\(line)")
            default: Issue.record("unknown command: \(line)")
            }
        }
        if let served { #expect(await served.running.terminate() == 0) }
        return lines.count
    }
}

/// Returns the members of a JSON object.
func members(_ text: some StringProtocol) throws -> [String: Any] {
    let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
    return try #require(object as? [String: Any])
}
