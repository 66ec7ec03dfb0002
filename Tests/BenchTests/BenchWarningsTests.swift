import Testing

@testable import vitrine_bench

@Suite(.timeLimit(.minutes(1))) struct BenchWarningsTests {
    private func warnings(
        _ rows: [BenchRow] = [], load: Double = 0, clock: (before: Double?, after: Double?) = (1, 1)
    ) -> [String] {
        var report = ReportSamples.report(rows)
        report.before = BenchLoad(averages: [load, 9, 9], clock: clock.before)
        report.after = BenchLoad(averages: [9, 9, 9], clock: clock.after)
        return report.doubts
    }

    private func row(others: [Double?], errors: Int = 0) -> BenchRow {
        var row = ReportSamples.row(["a"], [(.wallTime, [1])], others: others)
        row.errors = errors
        return row
    }

    @Test func `a quiet machine has no warning`() {
        #expect(warnings([row(others: [0, 0.1, nil])], load: 1, clock: (0.9, nil)).isEmpty)
    }

    @Test func `a load of more than half the cores before the run is a warning`() {
        #expect(
            warnings(load: 1.01)
                == ["The machine was busy before the run: load 1.01 on 2 cores."])
    }

    @Test func `other programs beside the rounds are a warning, one busy round is not`() {
        #expect(warnings([row(others: [0, 0.05, 0.9])]).isEmpty)
        #expect(
            warnings([row(others: [0.2, nil]), row(others: [0.12, 0.3])]) == [
                "Other programs had 20 % of the processors during the rounds (median): wall times "
                    + "and rates are too low, processor time is closer."
            ])
    }

    @Test func `a clock below nine tenths is a warning`() {
        #expect(
            warnings(clock: (0.89, 0.5)) == [
                "The clock was at 89 % of its highest frequency before the run.",
                "The clock was at 50 % of its highest frequency after the run.",
            ])
    }

    @Test func `rows with errors are named`() {
        #expect(
            warnings([row(others: [], errors: 2), row(others: [])])
                == ["1 of 2 rows have errors: thumbnails/a."])
    }

    @Test(arguments: [(nil, 1, true), ("curl 7", 1, false), (nil, 0, false)])
    func `errors of this program fail the run, those of peers don't`(
        peer: String?, errors: Int, hasFailed: Bool
    ) {
        var row = ReportSamples.row(["a"], [], peer: peer)
        row.errors = errors
        #expect(ReportSamples.report([row]).hasFailed == hasFailed)
    }
}
