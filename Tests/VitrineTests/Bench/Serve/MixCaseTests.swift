import ArgumentParser
import Testing

@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct MixCaseTests {
    private func samples(_ bytes: [Double]) -> [MemoryTrend.Sample] {
        bytes.enumerated().map { .init(seconds: Double($0), bytes: $1) }
    }

    @Test func `the slope of memory leaves out the time in which caches fill`() {
        // 0 to 40 s: fast at first, then 3 bytes a second.
        let filling = samples(
            (0...10).map { Double($0) * 100 } + (1...30).map { 1_000 + Double($0) * 3 })
        #expect(abs(MemoryTrend(filling, settling: 0.25).slope - 3) < 1e-9)
        #expect(MemoryTrend(filling, settling: 0).slope > 10)
        #expect(MemoryTrend(filling, settling: 0.25).most == 1_090)
        #expect(MemoryTrend(filling, settling: 0.25).last == 1_090)
    }

    @Test func `memory that goes up and down has no slope`() {
        let trend = MemoryTrend(samples([5, 9, 7, 9, 5]), settling: 0)
        #expect(trend.slope == 0 && trend.most == 9 && trend.last == 5)
    }

    @Test(arguments: [[], [7.0]])
    func `few samples have no slope`(bytes: [Double]) {
        #expect(MemoryTrend(samples(bytes), settling: 0.25).slope == 0)
    }

    @Test func `the mix takes minutes, and no other target`() throws {
        #expect(try ServeBenchOptions.parse(["--mix", "10"]).settings().mix == .seconds(600))
        #expect(try ServeBenchOptions.parse([]).settings().mix == nil)
        for bad in [
            ["--mix=0"], ["--mix=-1"], ["--mix=x"], ["--mix=1", "--url=http://localhost/"],
        ] {
            #expect(throws: (any Error).self) { try ServeBenchOptions.parse(bad) }
        }
    }

    @Test func `failures of both kinds of requests are counted`() {
        var (served, missed) = (LoadOutcome(), LoadOutcome())
        served.faults = [.closed: 2]
        missed.faults = [.wrongStatus: 1]
        missed.firstError = "It failed."
        let trend = MemoryTrend(samples([1e6, 3e6]), settling: 0)
        let sample = MixCase.sample(trend, served, missed)
        #expect(sample.errors == 3 && sample.firstError == "It failed.")
        #expect(sample.values.first?.value == 3)
        #expect(sample.values.first { $0.quantity.name == "slope" }?.value == 120)
    }

    @Test func `a warm run that does nothing is an error of the mixed row`() {
        var outcome = LoadOutcome()
        outcome.nanoseconds = 2_000_000_000
        let busy = MixedCase.sample(outcome, warm: 3)
        #expect(busy.errors == 0)
        #expect(busy.values.first { $0.quantity.name == "warm run" }?.value == 1.5)
        #expect(MixedCase.sample(outcome, warm: 0).errors == 1)
    }

    @Test(arguments: [
        ("{\"event\":\"progress\"}\n{\"items\":101,\"placeholders\":0,\"failed\":0}\n", false),
        ("{\"items\":9,\"placeholders\":7,\"failed\":0}\n", false),
        ("{\"items\":8,\"placeholders\":7,\"failed\":1}\n", true),
        ("{\"items\":0,\"placeholders\":0,\"failed\":0}\n", false), ("", false),
    ])
    func `a warm run that finds no pictures is an error of the mixed row`(
        summary: String, isError: Bool
    ) {
        #expect(MixedCase.hasOnlyPlaceholders(summary) == isError)
    }
}
