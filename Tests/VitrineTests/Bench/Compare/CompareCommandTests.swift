import Foundation
import TestSupport
import Testing

@testable import vitrine

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
        ([10.0, 10.1, 10.2], [], 0, "1 rows: 1 no change.\n"),
        ([20, 20.1, 20.2], [], 3, "1 rows: 1 regression.\n"),
        ([10.5, 10.51, 10.52], [], 0, "1 rows: 1 slightly worse.\n"),
        ([10.8, 10.81, 10.82], [], 3, "1 rows: 1 regression.\n"),
        ([10.8, 10.81, 10.82], ["--tolerance", "6"], 3, "1 rows: 1 regression.\n"),
        ([10.8, 10.81, 10.82], ["--tolerance", "8 %"], 0, "1 rows: 1 slightly worse.\n"),
        ([20, 20.1, 20.2], ["--tolerance", "200%"], 0, "1 rows: 1 slightly worse.\n"),
        ([5, 5.1, 5.2], ["--tolerance", "1"], 0, "1 rows: 1 better.\n"),
    ])
    func `a regression beyond the tolerance is status 3`(
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
        (["none.json", "a.json"], 1, "vitrine: Can't read none.json: No such file or directory."),
        (["text", "a.json"], 1, "vitrine: text is not a report of vitrine bench --json."),
        (
            ["later.json", "a.json"], 1,
            "vitrine: later.json has format 99; this version reads 1. Measure again."
        ),
        (["damaged.json", "a.json"], 1, "vitrine: damaged.json is a damaged report: .started"),
        (["a.json"], 64, "vitrine: --compare takes two files: the report before and the one after"),
        (
            ["a.json", "a.json", "--tolerance", "some"], 64,
            "vitrine: --tolerance is “some”; expected a percentage, such as 5%"
        ),
    ])
    func `a file that can't be compared is one sentence`(
        arguments: [String], status: Int32, begin: String
    ) async throws {
        try await withScratchDirectory { directory in
            try write([1], to: "\(directory)/a.json")
            try writeFile("\(directory)/text", "Hello.")
            try writeFile("\(directory)/later.json", "{\"format\": 99}")
            try writeFile("\(directory)/damaged.json", "{\"format\": 1}")
            let finished = try await Executable.run(
                ["bench", "--compare"] + arguments, in: directory)
            #expect(finished.status == status)
            #expect(finished.error.hasPrefix(begin), "\(finished.error)")
            #expect(finished.error.filter { $0 == "\n" }.count == 1)
            #expect(finished.output.isEmpty)
        }
    }
}
