import Foundation
import TestSupport
import Testing

@testable import Console
@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct BenchComparisonTests {
    private static let cpu = BenchQuantity.processorTime("ms/image")
    private static let rate = BenchQuantity.rate("images/s")

    private static let judged:
        [(BenchQuantity, [Double], [Double], Bool, BenchComparison.Verdict)] = [
            // The rounds overlap, however far apart the medians are.
            (cpu, [10, 10, 14], [11, 13, 15], false, .same),
            // They don't overlap, but the medians are closer than the rounds spread.
            (cpu, [8, 9, 10], [10.1, 11, 12], false, .same),
            (cpu, [10, 10.1, 10.2], [12, 12.1, 12.2], false, .worse),
            (cpu, [12, 12.1, 12.2], [10, 10.1, 10.2], false, .better),
            (cpu, [10, 10.01, 10.02], [10.3, 10.31, 10.32], false, .slightlyWorse),
            // More images a second are an improvement.
            (rate, [100, 101, 102], [120, 121, 122], false, .better),
            (rate, [120, 121, 122], [100, 101, 102], false, .worse),
            // Beside other programs a wall time says nothing, processor time still does.
            (rate, [120, 121, 122], [100, 101, 102], true, .unclear),
            // Rounds that overlap don't show that nothing changed.
            (rate, [40, 93, 121], [30, 38, 45], true, .unclear),
            (rate, [99, 100, 102], [98, 101, 103], true, .same),
            (cpu, [10, 10.1, 10.2], [12, 12.1, 12.2], true, .worse),
            // The last of one touches the first of the other.
            (cpu, [10, 10, 11], [11, 12, 12], false, .same),
            // As far apart as both deviations twice, and a little further.
            (cpu, [8, 9, 10], [12, 13, 14], false, .same),
            (cpu, [8, 9, 10], [12.1, 13.1, 14.1], false, .worse),
            // Two rounds are apart by chance in one case of three. Bytes are the same in each round.
            (cpu, [10, 10.1], [12, 12.1, 12.2], false, .tooFew),
            (cpu, [10, 10.1, 10.2], [12, 12.1], true, .tooFew),
            (rate, [120], [100], true, .unclear),
            (.bytesOut("KB/image"), [10], [12], true, .worse),
            // The row had a figure and has none now.
            (cpu, [10, 10.1, 10.2], [], false, .missing),
            (cpu, [], [10], false, .same),
        ]

    @Test(arguments: judged)
    func `a figure changed only if its rounds are apart, beyond the spread`(
        quantity: BenchQuantity, before: [Double], after: [Double], isBusy: Bool,
        verdict: BenchComparison.Verdict
    ) {
        #expect(
            BenchComparison.verdict(
                BenchFigure(quantity, before), BenchFigure(quantity, after), tolerance: 0.05,
                isBusy: isBusy) == verdict)
    }

    @Test func `the tolerance decides what is worse, never what is a change`() {
        func figure(_ value: Double) -> BenchFigure {
            BenchFigure(Self.cpu, [value, value, value])
        }
        let (before, after) = (figure(10), figure(11))
        func verdict(_ tolerance: Double) -> BenchComparison.Verdict {
            BenchComparison.verdict(before, after, tolerance: tolerance, isBusy: false)
        }
        #expect(verdict(0.05) == .worse)
        #expect(verdict(0.11) == .slightlyWorse)
        // A loss of exactly the tolerance is within it.
        #expect(
            BenchComparison.verdict(
                figure(8), figure(10), tolerance: 0.25, isBusy: false) == .slightlyWorse)
    }

    @Test(arguments: [
        ([0.5, 0.5, 0.5], [0, 0, 0], BenchComparison.Verdict.unclear),
        ([0, 0, 0], [0.5, nil, 0.5], .unclear), ([0.1, 0.1, 0.9], [nil, nil, nil], .worse),
    ])
    func `wall times are unclear if either report was made on a busy machine`(
        before: [Double?], after: [Double?], verdict: BenchComparison.Verdict
    ) {
        func report(_ samples: [Double], _ others: [Double?]) -> BenchReport {
            ReportSamples.report([
                ReportSamples.row(["a"], [(Self.rate, samples)], others: others)
            ])
        }
        let comparison = BenchComparison(
            report([100, 101, 102], before), report([80, 81, 82], after), tolerance: 0.05)
        #expect(comparison.lines.map(\.verdict) == [verdict])
    }

    @Test func `a report beside itself has no change`() {
        let report = ReportSamples.report([
            ReportSamples.row(["a"], [(Self.rate, [1, 2, 3]), (Self.cpu, [3, 2, 1])])
        ])
        let comparison = BenchComparison(report, report, tolerance: 0)
        #expect(comparison.lines.map(\.verdict) == [.same, .same])
        #expect(!comparison.isWorse)
        #expect(comparison.summary == "1 row: 1 no change.")
    }

    @Test func `rows are joined by their ids, and those of one report only are listed`() {
        let old = ReportSamples.report([
            ReportSamples.row(["same"], [(Self.cpu, [10, 10, 10]), (.generator, [1])]),
            ReportSamples.row(["gone"], [(Self.cpu, [1])]),
        ])
        let new = ReportSamples.report([
            ReportSamples.row(["new"], [(Self.cpu, [1])]),
            ReportSamples.row(["same"], [(Self.cpu, [20, 20, 20]), (.generator, [9])]),
        ])
        let comparison = BenchComparison(old, new, tolerance: 0.05)
        #expect(comparison.lines.map(\.id) == ["thumbnails/same"])
        #expect(comparison.lines.first?.ratio == 2)
        #expect(comparison.isWorse)
        #expect(comparison.onlyBefore == ["thumbnails/gone"])
        #expect(comparison.onlyAfter == ["thumbnails/new"])
        #expect(comparison.text().contains("Only in the first report: thumbnails/gone"))
        #expect(comparison.text().hasSuffix("1 row: 1 slower."))
    }

    @Test func `other machines, seeds and settings are a caution`() {
        let old = ReportSamples.report([])
        var new = old
        new.machine.cores = 64
        new.seed = 2
        new.settings = [BenchSetting("levels", "m=640x960"), BenchSetting("new", "1")]
        new.warnings = ["It was busy."]
        let busy = new
        #expect(
            BenchComparison(old, new, tolerance: 0.05).cautions == [
                "The reports are from different machines.",
                "The reports have different seeds, so their pictures differ.",
                "levels differs: m=320x480, then m=640x960.",
                "In the second report: It was busy.",
            ])
        #expect(
            BenchComparison(busy, busy, tolerance: 0.05).cautions == [
                "In both reports: It was busy."
            ])
    }

    @Test func `a report is the same after writing and reading`() throws {
        var report = ReportSamples.report([
            ReportSamples.row(
                ["posters", "threads=2"], [(Self.rate, [1.5, nil, 2.5])], peer: "x 1",
                others: [0.5, nil])
        ])
        var histogram = LatencyHistogram()
        for value in 1...500 { histogram.record(nanoseconds: UInt64(value) * 1_000) }
        report.rows[0].latency = histogram.summary
        let read = try JSONDecoder().decode(
            BenchReport.self, from: try JSONEncoder().encode(report))
        #expect(read == report)
    }

    @Test(arguments: [
        (BenchQuantity.bytesOut("KB/image"), "larger"), (.rate("images/s"), "slower"),
        (.latency(99), "slower"), (.peakMemory, "more memory"), (.quality, "looks worse"),
        (.downloads, "more"),
    ])
    func `what is worse is said in words of what was measured`(
        quantity: BenchQuantity, words: String
    ) {
        let isMore = quantity.better == .more
        func report(_ value: Double) -> BenchReport {
            ReportSamples.report([ReportSamples.row(["a"], [(quantity, [value, value, value])])])
        }
        let comparison = BenchComparison(
            report(isMore ? 20 : 10), report(isMore ? 10 : 20), tolerance: 0.05)
        #expect(comparison.lines.map(\.words) == [words])
        #expect(comparison.text().contains(" \(words)"))
    }

    @Test func `bytes and quality are shown even if they are the same`() {
        let report = ReportSamples.report([
            ReportSamples.row(
                ["a"],
                [
                    (Self.rate, [1, 2]), (Self.cpu, [1, 2]), (.bytesOut("KB/image"), [5, 5]),
                    (.quality, [80, 80]),
                ])
        ])
        let text = BenchComparison(report, report, tolerance: 0.05).text(("fast", "small"))
        #expect(text.contains("KB/image") && text.contains("SSIMULACRA2"))
        #expect(text.contains("fast") && text.contains("small"))
        // The row's id has a line of its own, however long it is.
        #expect(text.contains("\nthumbnails/a\n  images/s"))
        #expect(!text.contains("CPU"))
    }

    @Test func `two configurations of one report are compared by their own rows and settings`() {
        func row(_ name: String, _ cpu: Double) -> BenchRow {
            var row = ReportSamples.row(["a"], [(Self.cpu, [cpu, cpu, cpu])])
            row.head = row.head.with(configuration: name)
            return row
        }
        var report = ReportSamples.report([row("a", 10), row("b", 20)])
        report.settings = [
            BenchSetting("WebP quality", "80").with(configuration: "a"),
            BenchSetting("WebP quality", "80").with(configuration: "b"),
            BenchSetting("WebP effort", "2").with(configuration: "a"),
            BenchSetting("WebP effort", "6").with(configuration: "b"),
        ]
        let comparison = BenchComparison(
            report.only(configuration: "a"), report.only(configuration: "b"), tolerance: 0.05)
        #expect(comparison.lines.map(\.words) == ["slower"])
        #expect(comparison.cautions == ["WebP effort differs: 2, then 6."])
    }
}

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
