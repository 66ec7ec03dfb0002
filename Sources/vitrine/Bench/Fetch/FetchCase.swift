import App
import Fetch
import FoundationEssentials
import Glibc

/// Files through this program's own fetcher, as a miss gets its original.
struct FetchCase: BenchCase {
    let head: BenchRow.Head
    let work: FetchWork

    func round(_ number: Int) async throws -> BenchSample {
        let fetcher = try Fetcher(work.origin.fetchConfiguration(concurrency: work.concurrency))
        let outcome: Result<BenchSample, any Error>
        do {
            outcome = .success(try await measure(fetcher))
        } catch {
            outcome = .failure(error)
        }
        await fetcher.shutdown()
        return try outcome.get()
    }

    private func measure(_ fetcher: Fetcher) async throws -> BenchSample {
        let work = work
        let (processor, start) = (Self.processorTime(), ContinuousClock.now)
        let files = try await BoundedMap.run(
            Array(0..<work.count), concurrency: work.concurrency
        ) { number in
            try await Self.fetch(number, work, fetcher)
        }
        let wall = start.duration(to: .now) / .seconds(1)
        let spent = Self.processorTime() - processor
        var latencies = LatencyHistogram()
        for file in files {
            latencies.record(nanoseconds: UInt64(max(0, file.duration / .nanoseconds(1))))
        }
        let bad = files.compactMap(\.problem)
        let count = Double(work.count)
        let retries = files.reduce(0) { $0 + $1.attempts - 1 }
        return BenchSample(
            [
                (.rate("files/s"), count / wall),
                (.processorTime("µs/file"), spent / count * 1e6),
                (
                    BenchQuantity(name: "retries", unit: "", better: nil), Double(retries)
                ),
            ], latencies: latencies, errors: bad.count, firstError: bad.first)
    }

    /// One file with everything that was tried for it.
    private struct Fetched: Sendable {
        var duration: Duration
        var attempts: Int
        var problem: String?
    }

    private static func fetch(
        _ number: Int, _ work: FetchWork, _ fetcher: Fetcher
    ) async throws -> Fetched {
        let start = ContinuousClock.now
        let url = work.url(number)
        var fetched = Fetched(duration: .zero, attempts: 1)
        do throws(FetchError) {
            let response = try await fetcher.fetch(
                FetchRequest(url: url, purpose: .original, maxBytes: 256 << 20))
            fetched.attempts = response.attempts.count
            fetched.problem = problem(
                url, response.status, response.body, expected: work.file(number))
        } catch {
            try Task.checkCancellation()
            fetched.problem = "\(error)"
        }
        fetched.duration = start.duration(to: .now)
        return fetched
    }

    /// Returns what is wrong with a response as a sentence; nil if nothing is.
    static func problem(
        _ url: String, _ status: Int, _ body: [UInt8], expected: [UInt8]
    ) -> String? {
        if status != 200 { return "\(url) answered \(status); expected 200." }
        return body == expected ? nil : "\(url) gave other bytes than the file has."
    }

    /// User and system time of this process in seconds.
    private static func processorTime() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_utime.seconds + usage.ru_stime.seconds
    }
}

/// The same files by another program.
struct PeerFetchCase: BenchCase {
    let head: BenchRow.Head
    let work: FetchWork
    let peer: FetchPeer
    let program: String
    let scratch: String

    func round(_ number: Int) async throws -> BenchSample {
        let directory = "\(scratch)/fetched-\(UUID().uuidString)"
        try await FileThreads.run {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true)
        }
        let outcome: Result<BenchSample, any Error>
        do {
            outcome = .success(try await measure(directory))
        } catch {
            outcome = .failure(error)
        }
        try await FileThreads.run { try FileManager.default.removeItem(atPath: directory) }
        return try outcome.get()
    }

    private func measure(_ directory: String) async throws -> BenchSample {
        let list = "\(directory)/.list"
        let text = peer.list(work, into: directory)
        try await FileThreads.run { try Data(text.utf8).write(to: URL(fileURLWithPath: list)) }
        var order = MeasuredProgram.Order(program, peer.arguments(work, list: list))
        order.errors = .file("\(directory)/.errors")
        let end = try await MeasuredProgram.run(order)
        let work = work
        let bad = await FileThreads.run {
            (0..<work.count).filter { number in
                let file = try? Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(number)"))
                return file.map { Array($0) != work.file(number) } ?? true
            }
        }
        let count = Double(work.count)
        return BenchSample(
            [
                (.rate("files/s"), count / end.wall),
                (.processorTime("µs/file"), end.processor / count * 1e6),
            ], errors: bad.count,
            firstError: bad.first.map {
                "\(peer.rawValue) got other bytes for \(work.url($0)), or none."
            })
    }
}
