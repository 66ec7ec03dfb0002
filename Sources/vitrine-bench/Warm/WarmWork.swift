import App
import Console
import Fetch
import Foundation

/// The commands of a round.
struct WarmWork: Sendable {
    /// Milliseconds that the origin waits before each answer.
    static let latency = 50

    let context: BenchContext
    let origin: BenchOrigin
    let corpus: Corpus
    let urls: [String]
    /// File of the URLs.
    let list: String
    /// The wanted renditions.
    let options: [String]
    /// Items under way at once; by default as many as the command takes.
    let concurrency: Int

    static func make(
        _ context: BenchContext, _ corpus: Corpus, isPlain: Bool, options: [String] = [],
        concurrency: Int = 32, closers: BenchClosers
    ) async throws -> WarmWork {
        let origin = try await BenchOrigin.start(
            corpus, ["--latency", "\(latency)"] + (isPlain ? ["--transport", "plain"] : []),
            context, closers)
        let scheme = isPlain ? "http" : "https"
        let urls = corpus.names.map { "\(scheme)://\(BenchOrigin.pictureHost)/0/\($0)" }
        let list = context.place("urls")
        try await context.write(urls.joined(separator: "\n").utf8, to: list)
        return WarmWork(
            context: context, origin: origin, corpus: corpus, urls: urls, list: list,
            options: options, concurrency: concurrency)
    }

    /// An empty cache is filled.
    ///
    /// Each round also measures the two stages alone: fetching the same pictures, and rendering the same
    /// thumbnails from local files. How much of the shorter stage disappears behind the longer one is
    /// the overlap.
    func fill(_ head: BenchRow.Head) -> BenchCase {
        BenchCase(head) { _ in
            let fetch = try await fetchAlone()
            let render = try await renderAlone()
            let (end, summary) = try await warm(context.place("cache"))
            return Self.filled(urls.count, fetch: fetch, render: render, end, summary)
        }
    }

    /// - Parameters:
    ///   - fetch: seconds of the download alone.
    ///   - render: seconds of rendering alone.
    static func filled(
        _ pictures: Int, fetch: Double, render: Double, _ end: MeasuredProgram.End,
        _ summary: WarmSummary
    ) -> BenchSample {
        var sample = end.sample(pictures, of: "picture")
        sample.add(
            BenchQuantity(name: "overlap", unit: "% of the shorter stage", better: .more),
            overlap(fetch, render, together: end.wall) * 100)
        for (name, seconds) in [("fetch", fetch), ("render", render)] {
            sample.add(
                BenchQuantity(name: "\(name) of wall time", unit: "%", better: nil, isWall: true),
                seconds / end.wall * 100)
        }
        sample.add(.downloads, Double(summary.originals))
        sample.expect(
            summary.items == pictures,
            "\(summary.items) items were warmed; expected \(pictures).")
        sample.expect(
            summary.failed + summary.placeholders == 0, "\(summary.failed) items failed.")
        sample.expect(
            summary.originals == pictures,
            "\(summary.originals) originals were downloaded for \(pictures) pictures.")
        return sample
    }

    /// Returns the part of the shorter stage that the longer one hid: 1 if the work took as long as the
    /// longer stage alone, 0 if it took as long as both in a row. Other costs of the work lower it.
    static func overlap(_ first: Double, _ second: Double, together: Double) -> Double {
        let shorter = min(first, second)
        return shorter > 0 ? min(1, max(0, (first + second - together) / shorter)) : 0
    }

    /// Fills a cache. Returns what the process used and what it says that it did.
    func warm(
        _ cache: String
    ) async throws -> (end: MeasuredProgram.End, summary: WarmSummary) {
        var order = context.vitrine(["warm", "urls", list, "--json"] + options)
        order.arguments += ["--cache", cache, "--concurrency", "\(concurrency)"]
        order.environment = origin.environment.merging(
            ["VITRINE_FETCH_HOST_CONCURRENCY": "\(concurrency)"]) { $1 }
        (order.output, order.errors) = (cache + "-summary", cache + "-errors")
        let end = try await MeasuredProgram.run(order)
        guard let summary = WarmSummary(ProcFile.text(cache + "-summary") ?? "") else {
            throw CommandError("vitrine warm printed no summary.")
        }
        return (end, summary)
    }

    /// Seconds for the same pictures without rendering them, with as many at once.
    private func fetchAlone() async throws -> Double {
        try await origin.withFetcher(concurrency: concurrency) { fetcher in
            let start = ContinuousClock.now
            let statuses = try await urls.mapped(concurrency: concurrency) { url in
                try await fetcher.fetch(
                    FetchRequest(url: url, purpose: .original, maxBytes: 256 << 20)
                ).status
            }
            if let bad = statuses.first(where: { $0 != 200 }) {
                throw CommandError("The origin answered \(bad) for a picture; expected 200.")
            }
            return start.duration(to: .now) / .seconds(1)
        }
    }

    /// Seconds for the same thumbnails from local files.
    private func renderAlone() async throws -> Double {
        let directory = context.place("thumbs")
        var order = context.vitrine(["thumb", corpus.directory, "-o", directory] + options)
        order.errors = directory + "-errors"
        return try await MeasuredProgram.run(order).wall
    }
}

/// The summary that `vitrine warm --json` prints last.
struct WarmSummary: Decodable, Sendable {
    var items: Int
    var originals: Int
    var thumbnails: Int
    var failed: Int
    var placeholders: Int

    /// Nil if the output has none.
    init?(_ output: String) {
        guard let line = output.split(whereSeparator: \.isNewline).last,
            let summary = try? JSONDecoder().decode(Self.self, from: Data(line.utf8))
        else { return nil }
        self = summary
    }

    /// Whether the run made placeholders and no pictures.
    var hasOnlyPlaceholders: Bool {
        placeholders > 0 && items == placeholders + failed
    }
}
