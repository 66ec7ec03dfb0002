import Foundation
import TestSupport
import Testing

@testable import Console
@testable import vitrine_bench

/// `vitrine bench --compare` as its users run it.
@Suite(.timeLimit(.minutes(1))) struct CompareCommandTests {
    private func write(_ samples: [Double], to path: String) throws {
        let report = ReportSamples.report([
            ReportSamples.row(["a"], [(.processorTime("ms/image"), samples)])
        ])
        try writeFile(
            path, String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }

    @Test(arguments: [
        ([10.0, 10.1, 10.2], [], 0, "1 row: 1 no change.\n"),
        ([10.8, 10.81, 10.82], [], 3, "1 row: 1 slower.\n"),
        ([10.8, 10.81, 10.82], ["--tolerance", "6"], 3, "1 row: 1 slower.\n"),
        ([10.8, 10.81, 10.82], ["--tolerance", "8 %"], 0, "1 row: 1 slightly slower.\n"),
    ])
    func `a loss beyond the tolerance is status 3`(
        after: [Double], options: [String], status: Int32, end: String
    ) async throws {
        try await withScratchDirectory { directory in
            try write([10, 10.1, 10.2], to: "\(directory)/a.json")
            try write(after, to: "\(directory)/b.json")
            let finished = try await Executable.run(
                ["bench", "--compare", "a.json", "b.json"] + options, in: directory)
            #expect(finished.status == status)
            #expect(finished.output.hasSuffix(end), "\(finished.output)")
            #expect(finished.output.contains("thumbnails/a"))
        }
    }

    @Test(arguments: [
        ("none.json", "Can't read none.json: No such file or directory."),
        ("text", "text is not a report of vitrine bench --json."),
        ("later.json", "later.json has format 99; this version reads 1. Measure again."),
        ("damaged.json", "damaged.json is a damaged report. Measure again."),
    ])
    func `a file that can't be compared is one sentence`(
        name: String, begin: String
    ) async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/text", "Hello.")
            try writeFile("\(directory)/later.json", "{\"format\": 99}")
            try writeFile("\(directory)/damaged.json", "{\"format\": 1}")
            let error = #expect(throws: CommandError.self) {
                _ = try CompareOptions.report("\(directory)/\(name)")
            }
            #expect(error?.status == .failure)
            let sentence = error?.description.replacing("\(directory)/", with: "") ?? ""
            #expect(sentence.hasPrefix(begin), "\(sentence)")
            #expect(!sentence.contains("\n"))
        }
    }
}
