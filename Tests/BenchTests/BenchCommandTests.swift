import App
import Foundation
import TestSupport
import Testing

@testable import vitrine_bench

/// `vitrine bench` as its users run it, on very little.
@Suite(.timeLimit(.minutes(3))) struct BenchCommandTests {
    /// Two small photographs.
    private func writePictures(to directory: String) throws {
        for number in 1...2 {
            let path = "\(directory)/\(number).jpg"
            try writeFile(path, "")
            try Data(FixtureImages.jpeg(width: 200, height: 300, seed: UInt64(number)))
                .write(to: URL(filePath: path))
        }
    }

    @Test func `a run gives a table, a report and a page, and leaves nothing behind`() async throws
    {
        try await withScratchDirectory { directory in
            try writePictures(to: "\(directory)/in")
            try writeFile("\(directory)/tmp/.keep", "")
            let finished = try await Executable.run(
                [
                    "bench", "thumbnails", "store", "--input", "in", "--rounds", "2", "--quick",
                    "--entries", "100", "--levels", "s,xs", "--formats", "jpeg", "--threads",
                    "1,2", "--json", "a.json", "--html", "a.html",
                ], in: directory, environment: ["TMPDIR": "\(directory)/tmp"])
            #expect(finished.status == 0, "\(finished.error)")
            let report = try CompareOptions.report("\(directory)/a.json")
            let ids = Set(report.rows.map(\.id))
            #expect(
                ids.isSuperset(of: [
                    "thumbnails/input/jpeg/all-levels/threads=1",
                    "thumbnails/input/jpeg/all-levels/threads=2",
                    "thumbnails/input/jpeg/xs/threads=1",
                    "store/pictures/durability=process/tasks=1",
                    "store/start-up/entries=100",
                ]))
            #expect(report.rows.allSatisfy { $0.errors == 0 && $0.headline?.median ?? 0 > 0 })
            #expect(report.rows.allSatisfy { $0.head.subject == "store" || $0.digest != nil })
            #expect(finished.output.contains("input/jpeg/all-levels/threads=2"))
            #expect(try LocalFile.read("\(directory)/a.html", limit: 1 << 24).count > 10_000)
            #expect(try LocalFile.names(in: "\(directory)/tmp") == [".keep"])
            let compared = try await Executable.run(
                ["bench", "--compare", "a.json", "a.json", "--tolerance", "0"], in: directory)
            #expect(compared.status == 0)
            #expect(compared.output.hasSuffix("\(ids.count) rows: \(ids.count) no change.\n"))
        }
    }

    @Test func `a picture that can't be rendered is counted, with status 3`() async throws {
        try await withScratchDirectory { directory in
            try writePictures(to: "\(directory)/in")
            let beginning = FixtureImages.jpeg(width: 200, height: 300).prefix(40)
            try Data(beginning).write(to: URL(filePath: "\(directory)/in/broken.jpg"))
            let finished = try await Executable.run(
                [
                    "bench", "thumbnails", "--input", "in", "--rounds", "1", "--quick",
                    "--levels", "xs", "--formats", "jpeg", "--threads", "1", "--json", "a.json",
                ], in: directory, environment: ["TMPDIR": directory])
            #expect(finished.status == 3)
            let row = try #require(try CompareOptions.report("\(directory)/a.json").rows.first)
            #expect(row.errors == 1)
            #expect(row.firstError?.contains(".jpg: ") == true)
            #expect(finished.output.contains("Warning: 1 of 1 rows have errors"))
        }
    }

    @Test func `Ctrl-C ends a run and removes what it wrote`() async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/tmp/.keep", "")
            let program = try RunningExecutable(
                ["bench", "store", "--entries", "2000000"], in: directory,
                environment: ["TMPDIR": "\(directory)/tmp"])
            #expect(await program.line(after: "Filling a store") != nil)
            program.signal(SIGINT)
            #expect(await program.line(after: "vitrine: ") == "Interrupted.")
            #expect(await program.status() == 1)
            #expect(try LocalFile.names(in: "\(directory)/tmp") == [".keep"])
        }
    }

    @Test(arguments: [
        (
            ["bench", "everything"],
            "vitrine: The value “everything” is invalid for “<subject>”; choose"
        ),
        (["bench", "store", "--rounds", "0"], "vitrine: --rounds is 0; expected 1 to 1000"),
        (["bench", "store", "--entries", "1"], "vitrine: --entries is 1; expected 100 to "),
        (["bench", "thumbnails", "--levels", "no"], "vitrine: --levels: there is no level “no”"),
        (["bench", "thumbnails", "--threads", "x"], "vitrine: --threads: “x” is not a number"),
        (["bench", "store", "--compare", "a", "b"], "vitrine: --compare reads two reports and "),
    ])
    func `a wrong option is one sentence, with status 64`(
        arguments: [String], begin: String
    ) async throws {
        try await withScratchDirectory { directory in
            let finished = try await Executable.run(
                arguments, in: directory, environment: ["TMPDIR": directory])
            #expect(finished.status == 64)
            #expect(finished.error.hasPrefix(begin), "\(finished.error)")
        }
    }

    @Test func `a directory without pictures is a sentence`() async throws {
        try await withScratchDirectory { directory in
            try writeFile("\(directory)/in/text", "Hello.")
            let finished = try await Executable.run(
                ["bench", "thumbnails", "--input", "in"], in: directory,
                environment: ["TMPDIR": directory])
            #expect(finished.status == 1)
            #expect(finished.error == "vitrine: in contains no picture; check --input.\n")
        }
    }

    @Test func `two configurations are measured in the same rounds and compared by name`()
        async throws
    {
        try await withScratchDirectory { directory in
            try writePictures(to: "\(directory)/in")
            try writeFile("\(directory)/small.yaml", "imaging:\n  jpegQuality: 40\n")
            try writeFile(
                "\(directory)/large.yaml", "imaging:\n  jpegQuality: 95\n  lane: libvips\n")
            let finished = try await Executable.run(
                [
                    "bench", "--config", "small.yaml", "--config=large.yaml", "--input", "in",
                    "--rounds", "2", "--quick", "--levels", "s", "--formats", "jpeg", "--threads",
                    "1", "--json", "a.json",
                ], in: directory, environment: ["TMPDIR": directory])
            #expect(finished.status == 0, "\(finished.error)")
            let report = try CompareOptions.report("\(directory)/a.json")
            let id = "thumbnails/input/jpeg/all-levels/threads=1"
            #expect(report.rows.map(\.id) == ["\(id)/config=small", "\(id)/config=large"])
            #expect(finished.output.contains("imaging.jpegQuality differs: 40, then 95."))
            #expect(finished.output.contains("imaging.lane differs: auto, then libvips."))
            let line = finished.output.split(separator: "\n").last { $0.contains("KB/image") }
            #expect(line?.hasSuffix(" larger") == true)
        }
    }
}
