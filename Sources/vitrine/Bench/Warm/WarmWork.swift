import Fetch
import Foundation

/// The commands of a round.
struct WarmWork: Sendable {
    let origin: BenchOrigin
    let corpus: ServeCorpus
    let urls: [String]
    /// File of the URLs.
    let list: String
    let scratch: String
    /// This program.
    let program: String
    /// The options with which it has the same settings as this process, and the wanted renditions.
    let options: [String]
    /// Items under way at once; by default as many as the command takes.
    var concurrency = 32

    /// The summary that `vitrine warm --json` prints last.
    struct Summary: Decodable, Sendable {
        var items: Int
        var originals: Int
        var bytesFetched: Int
        var thumbnails: Int
        var reused: Int
        var failed: Int
        var placeholders: Int
    }

    /// Fills a cache. Returns what the process used and what it says that it did.
    func warm(_ cache: String) async throws -> (end: MeasuredProgram.End, summary: Summary) {
        let output = "\(cache)-summary"
        var order = MeasuredProgram.Order(
            program,
            ["warm", "urls", list, "--json"] + options + [
                "--cache", cache, "--concurrency", "\(concurrency)", "--log-level", "error",
            ])
        order.environment = origin.environment.merging(
            ["VITRINE_FETCH_HOST_CONCURRENCY": "\(concurrency)"]) { $1 }
        order.inheritsSettings = true
        order.output = .file(output)
        order.errors = .file("\(cache)-errors")
        let end = try await MeasuredProgram.run(order)
        let line = ProcFile.text(output)?.split(separator: "\n").last ?? ""
        let summary = try JSONDecoder().decode(Summary.self, from: Data(line.utf8))
        return (end, summary)
    }

    /// Seconds for the same pictures without rendering them, with as many at once.
    func fetchAlone() async throws -> Double {
        let fetcher = try Fetcher(origin.fetchConfiguration(concurrency: concurrency))
        let start = ContinuousClock.now
        let outcome: Result<[Int], any Error>
        do {
            outcome = .success(
                try await BoundedMap.run(urls, concurrency: concurrency) { url in
                    try await fetcher.fetch(
                        FetchRequest(url: url, purpose: .original, maxBytes: 256 << 20)
                    ).status
                })
        } catch {
            outcome = .failure(error)
        }
        let wall = start.duration(to: .now) / .seconds(1)
        await fetcher.shutdown()
        if let bad = try outcome.get().first(where: { $0 != 200 }) {
            throw CommandError("The origin answered \(bad) for a picture; expected 200.")
        }
        return wall
    }

    /// Seconds for the same thumbnails from local files.
    func renderAlone(_ directory: String) async throws -> Double {
        var order = MeasuredProgram.Order(
            program,
            ["thumb", corpus.directory, "-o", directory] + options + ["--log-level", "error"])
        order.inheritsSettings = true
        order.errors = .file("\(directory)-errors")
        return try await MeasuredProgram.run(order).wall
    }

    /// Runs the body with a path in the scratch directory where nothing is.
    ///
    /// What it leaves there stays until the end of the run: ext4 passes by inodes that were deleted
    /// lately, so deleting the files of one round would slow down the next.
    func withDirectory<Value: Sendable>(
        _ name: String, _ body: (String) async throws -> Value
    ) async throws -> Value {
        try await body("\(scratch)/\(name)-\(UUID().uuidString)")
    }
}
