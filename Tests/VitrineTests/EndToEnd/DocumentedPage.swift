import Foundation
import TestSupport

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
}
