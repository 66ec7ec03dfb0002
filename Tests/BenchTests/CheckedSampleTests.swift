import Store
import Synchronization
import TestSupport
import Testing

@testable import Console
@testable import vitrine_bench

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
        let sample = ColdRows.herd(
            outcome { $0.statuses = [200: 500] }, spent: 1, downloads: downloads, clients: 500)
        #expect(sample.errors == errors)
        #expect((sample.firstError == nil) == (errors == 0))
    }

    @Test func `errors of the flood and of the hits beside it count`() {
        let sample = ColdRows.flood(
            outcome { $0.faults = [.noRetryAfter: 3] },
            outcome { $0.faults = [.wrongBody: 4] })
        #expect(sample.errors == 7)
    }

    @Test func `a round under load has the percentile that leads, and its errors`() throws {
        let rows = ServeRow.all(rates: [1_000])
        let closed = try #require(rows.first { $0.what == ["hit", "keep-alive"] })
        let open = try #require(rows.first { $0.what == ["hit", "rate=1000"] })
        let load = outcome {
            $0.statuses = [200: 100, 404: 100]
            $0.inTime = 100
            $0.faults = [.wrongStatus: 100]
            for value in 1...200 { $0.latency.record(nanoseconds: UInt64(value) * 1_000) }
        }
        let first = load.sample(of: closed, spent: 0.1)
        #expect(
            first.values.map(\.quantity.name) == [
                "rate", "processor time", "per core", "generator",
            ])
        #expect(first.values.prefix(3).map(\.value) == [100, 500, 2_000])
        #expect(first.errors == 100)
        let second = load.sample(of: open, spent: nil)
        #expect(second.values.map(\.quantity.name).prefix(3) == ["p99", "p50", "rate"])
        #expect(second.latencies?.summary?.count == 200)
    }

    @Test func `a warm run that does nothing is an error of the mixed row`() {
        let busy = ColdRows.mixed(outcome { _ in }, warm: 1.5)
        #expect(busy.errors == 0)
        #expect(busy.values.first { $0.quantity.name == "warm run" }?.value == 1.5)
        #expect(ColdRows.mixed(outcome { _ in }, warm: 0).errors == 1)
    }

    @Test(arguments: [
        ("{\"event\":\"progress\"}\n{\"items\":101,\"placeholders\":0,\"failed\":0,", false),
        ("{\"items\":9,\"placeholders\":7,\"failed\":0,", false),
        ("{\"items\":8,\"placeholders\":7,\"failed\":1,", true), ("{", false),
    ])
    func `a warm run that finds no pictures is an error of the mixed row`(
        begin: String, isError: Bool
    ) {
        let text = begin + "\"originals\":0,\"thumbnails\":0}\n"
        #expect((WarmSummary(text)?.hasOnlyPlaceholders ?? false) == isError)
    }

    @Test func `a fetched file must have the bytes and the status`() throws {
        try FetchBench.check("u", 200, [1, 2], expected: [1, 2])
        #expect(throws: CommandError("u gave other bytes than the file has.")) {
            try FetchBench.check("u", 200, [1, 3], expected: [1, 2])
        }
        #expect(throws: CommandError("u answered 503; expected 200.")) {
            try FetchBench.check("u", 503, [1, 2], expected: [1, 2])
        }
    }

    @Test func `calls that throw are errors, and every call has a latency`() async throws {
        let sample = try await Calls.sample(10, of: "file", callers: 3) { number in
            return { if number % 4 == 0 { throw CommandError("\(number) failed.") } }
        }
        #expect(sample.errors == 3)
        #expect(sample.firstError == "0 failed.")
        #expect(sample.latencies?.summary?.count == 10)
        #expect(sample.values.map(\.quantity.header) == ["files/s", "CPU µs/file"])
    }

    @Test(arguments: [
        (10, 10, 0, 0, 0), (9, 10, 0, 0, 1), (10, 9, 0, 0, 1), (10, 10, 1, 0, 1), (10, 10, 0, 1, 1),
    ])
    func `a warm run must warm every picture, and download each once`(
        items: Int, originals: Int, failed: Int, placeholders: Int, errors: Int
    ) throws {
        let summary = try #require(
            WarmSummary(
                "{\"items\":\(items),\"originals\":\(originals),\"thumbnails\":50,"
                    + "\"failed\":\(failed),\"placeholders\":\(placeholders)}"))
        let end = MeasuredProgram.End(status: 0, wall: 4, processor: 2, peakMemory: nil)
        let sample = WarmWork.filled(10, fetch: 1, render: 3, end, summary)
        #expect(sample.errors == errors)
        #expect(sample.values.first?.value == 2.5)
    }
}

@Suite(.timeLimit(.minutes(1))) struct FilledStoreTests {
    @Test func `a store that was kept is taken as it is, and no other`() async throws {
        try await withScratchDirectory { directory in
            let root = "\(directory)/store"
            let fills = Mutex(0)
            func store(seed: UInt64) async throws -> FilledStore {
                try await FilledStore.at(root, .init(entries: 40, seed: seed)) { _ in
                    fills.withLock { $0 += 1 }
                }
            }
            let first = try await store(seed: 1)
            try first.close()
            let again = try await store(seed: 1)
            #expect(fills.withLock(\.self) == 1)
            #expect(again.indexBytes > 0)
            for number in 0..<40 {
                let row = try #require(try await again.index.thumbnail(again.key(number)))
                let blob = FilledStore.blob(number, seed: 1)
                #expect(try await again.blobs.load(row.facts.digest) == blob)
            }
            try again.close()
            await #expect(throws: CommandError.self) { _ = try await store(seed: 2) }
        }
    }
}
