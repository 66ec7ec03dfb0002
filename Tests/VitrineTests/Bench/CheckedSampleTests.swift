import TestSupport
import Testing

@testable import vitrine

/// What a round counts as an error, by what it measures.
@Suite(.timeLimit(.minutes(1))) struct CheckedSampleTests {
    private func outcome(_ change: (inout LoadOutcome) -> Void) -> LoadOutcome {
        var outcome = LoadOutcome()
        outcome.nanoseconds = 1_000_000_000
        change(&outcome)
        return outcome
    }

    @Test(arguments: [(1, 0), (0, 1), (2, 1)])
    func `a herd that causes another number of downloads than one is an error`(
        downloads: Int, errors: Int
    ) {
        let sample = HerdCase.sample(
            outcome { $0.statuses = [200: 500] }, spent: 1, downloads: downloads, clients: 500)
        #expect(sample.errors == errors)
        #expect((sample.firstError == nil) == (errors == 0))
    }

    @Test(arguments: [(30, 0), (31, 0), (29, 1)])
    func `misses that caused fewer downloads than pictures came from a cache`(
        downloads: Int, errors: Int
    ) {
        let sample = MissCase.checked(BenchSample([]), pictures: 30, downloads: downloads)
        #expect(sample.errors == errors)
    }

    @Test func `misses are counted by picture, with their errors`() {
        let sample = MissLoad.sample(
            outcome {
                $0.statuses = [200: 8, 500: 2]
                $0.inTime = 8
                $0.faults = [.wrongStatus: 2]
                $0.firstError = "No."
            }, spent: 0.5, resident: 5_000_000)
        #expect(sample.values.map(\.value) == [8, 50, 5])
        #expect(sample.errors == 2)
        #expect(sample.firstError == "No.")
    }

    @Test func `errors of the flood and of the hits beside it count`() {
        let sample = FloodCase.sample(
            outcome { $0.faults = [.noRetryAfter: 3] },
            outcome { $0.faults = [.wrongBody: 4] })
        #expect(sample.errors == 7)
    }

    @Test func `a round under load has the percentile that leads, and its errors`() async throws {
        let origin = try await OriginServer.start()
        origin.on("/a", .ok(Array("hello".utf8)))
        origin.on("/b", .status(404))
        var plan = LoadPlan(port: origin.port, requests: [.get("/a"), .get("/b")])
        plan.order = .inTurn
        plan.connections = 1
        plan.limit = 200
        plan.length = .seconds(3_600)
        let head = BenchRow.Head(.serve, ["hit"])
        let closed = try await LoadCase(head: head, server: nil, plan: plan).round(1)
        #expect(closed.values.first?.quantity == .rate("requests/s"))
        #expect(closed.errors == 100)
        #expect(closed.firstError?.hasPrefix("GET /b ") == true)
        plan.pace = .open(perSecond: 1e6)
        let open = try await LoadCase(head: head, server: nil, plan: plan, percentile: 99).round(1)
        #expect(open.values.map(\.quantity.name).prefix(2) == ["p99", "p50"])
        #expect(open.latencies?.summary?.count == 200)
        #expect(open.errors == 100)
    }

    @Test func `a fetched file must have the bytes and the status`() {
        #expect(FetchCase.problem("u", 200, [1, 2], expected: [1, 2]) == nil)
        #expect(
            FetchCase.problem("u", 200, [1, 3], expected: [1, 2])
                == "u gave other bytes than the file has.")
        #expect(
            FetchCase.problem("u", 503, [1, 2], expected: [1, 2]) == "u answered 503; expected 200."
        )
    }

    @Test(arguments: [
        (10, 10, 0, 0, 0), (9, 10, 0, 0, 1), (10, 9, 0, 0, 1), (10, 10, 1, 0, 1), (10, 10, 0, 1, 1),
    ])
    func `a warm run must warm every picture, and download each once`(
        items: Int, originals: Int, failed: Int, placeholders: Int, errors: Int
    ) {
        let summary = WarmWork.Summary(
            items: items, originals: originals, bytesFetched: 1, thumbnails: 50, reused: 0,
            failed: failed, placeholders: placeholders)
        let end = MeasuredProgram.End(
            status: 0, wall: 4, processor: 2, peakMemory: nil, faults: 0, majorFaults: 0)
        let sample = WarmCase.sample(pictures: 10, fetch: 1, render: 3, end, summary)
        #expect(sample.errors == errors)
        #expect(sample.values.first?.value == 2.5)
    }

    @Test(arguments: [(0, 0, 0), (1, 0, 1), (0, 1, 1)])
    func `warming a full cache must do nothing`(originals: Int, thumbnails: Int, errors: Int) {
        let summary = WarmWork.Summary(
            items: 10, originals: originals, bytesFetched: 0, thumbnails: thumbnails, reused: 50,
            failed: 0, placeholders: 0)
        let end = MeasuredProgram.End(
            status: 0, wall: 4, processor: 2, peakMemory: nil, faults: 0, majorFaults: 0)
        #expect(WarmAgainCase.sample(pictures: 10, end, summary).errors == errors)
    }
}
