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

    @Test func `rows whose helper ended are named with the reason, and don't fail the run`() {
        var row = row(others: [])
        (row.missed, row.missedBecause) = (2, "h2load did not end within 21.0 s and was stopped.")
        #expect(
            warnings([row, self.row(others: [])]) == [
                "1 of 2 rows lack rounds: thumbnails/a. h2load did not end within 21.0 s and was "
                    + "stopped."
            ])
        #expect(!ReportSamples.report([row]).hasFailed)
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

@Suite(.timeLimit(.minutes(1))) struct BenchStatisticsTests {
    @Test(arguments: [
        ([3.0], 3.0, 0.0), ([4, 1, 2], 2, 1), ([1, 2, 3, 100], 2.5, 1), ([5, 5, 5, 9], 5, 0),
    ])
    func `the median is the middle, and one outlier moves neither it nor the deviation far`(
        samples: [Double], median: Double, deviation: Double
    ) throws {
        let statistics = try #require(BenchStatistics(samples))
        #expect(statistics.median == median)
        #expect(statistics.deviation == deviation)
        #expect(statistics.least == samples.min())
        #expect(statistics.most == samples.max())
    }

    @Test func `statistics need samples`() {
        #expect(BenchStatistics([]) == nil)
    }

    @Test func `a paired ratio takes only rounds that both have, so a slow spell drops out`() {
        // The third round was slow for both, the second failed for one.
        #expect(BenchStatistics.pairedRatio([2, 9, 20, 2], to: [1, nil, 10, 1]) == 2)
        #expect(BenchStatistics.pairedRatio([nil, 1], to: [1, nil]) == nil)
        #expect(BenchStatistics.pairedRatio([1], to: [0]) == nil)
    }

    @Test(arguments: [
        (0.012345, "0.0123"), (1.2345, "1.23"), (12.345, "12.3"), (123.45, "123"),
        (12_345.6, "12,346"), (1_234_567, "1,234,567"), (0, "0"), (-2.5, "-2.50"), (.infinity, "–"),
        (.nan, "–"),
        (0.0000001, "0.000000"),
    ])
    func `numbers are printed with three digits`(value: Double, text: String) {
        #expect(BenchText.number(value) == text)
    }

    @Test(arguments: [(0.5, "50 %"), (0.0213, "2.1 %"), (0.0996, "10 %"), (1.5, "150 %")])
    func `shares are printed as per cent`(share: Double, text: String) {
        #expect(BenchText.percent(share) == text)
    }

    @Test func `percentiles come from the recorded latencies, to three digits`() throws {
        var histogram = LatencyHistogram()
        for value in 1...10_000 { histogram.record(nanoseconds: UInt64(value) * 1_000) }
        let summary = try #require(histogram.summary)
        #expect(summary.count == 10_000)
        for (percentile, expected) in [(50.0, 5_000.0), (99, 9_900), (99.9, 9_990)] {
            let value = try #require(summary[percentile])
            #expect(abs(value / expected - 1) < 0.002)
        }
        #expect(abs(summary.max / 10_000 - 1) < 0.002)
    }

    @Test func `a percentile that fewer than one latency would decide is left out`() throws {
        var histogram = LatencyHistogram()
        histogram.record(nanoseconds: 5_000, count: 200)
        let summary = try #require(histogram.summary)
        #expect(summary[99] != nil)
        #expect(summary[99.9] == nil)
        #expect(LatencyHistogram().summary == nil)
    }

    @Test func `a latency of more than an hour counts as an hour`() throws {
        var histogram = LatencyHistogram()
        histogram.record(nanoseconds: .max, count: 3)
        let summary = try #require(histogram.summary)
        #expect(summary.count == 3)
        #expect(abs(summary.max / 3.6e9 - 1) < 0.002)
    }
}
