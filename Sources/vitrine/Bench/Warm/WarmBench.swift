import App
import Fetch
import FoundationEssentials
import Imaging

/// What `vitrine bench warm` measures: a cache filled from an origin that waits 50 ms, by the command
/// that users run; and the common case of four JPEG levels beside other programs.
enum WarmBench {
    /// What the origin waits before each answer.
    static let latency = 50

    static func plan(_ context: BenchContext) async throws -> BenchPlan {
        try await BenchClosers.plan { closers in
            let corpus = try await ServeCorpus.make(context)
            let origin = try await BenchOrigin.start(
                ["--pictures", corpus.directory, "--latency", "\(latency)"], seed: context.seed,
                scratch: context.scratch)
            closers.add { await origin.stop() }
            let list = "\(context.scratch)/warm-urls"
            let urls = corpus.names.map { "https://\(BenchOrigin.pictureHost)/0/\($0)" }
            try await FileThreads.run {
                try Data(urls.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))
            }
            let work = WarmWork(
                origin: origin, corpus: corpus, urls: urls, list: list, scratch: context.scratch,
                program: try ServerProcess.ownPath(), options: context.settingArguments)
            var plan = BenchPlan()
            plan.cases = [
                WarmCase(
                    head: BenchRow.Head(
                        .warm, ["cold"],
                        note: "Every level of every picture into an empty cache, with the two "
                            + "stages alone for comparison."),
                    work: work),
                WarmAgainCase(
                    head: BenchRow.Head(
                        .warm, ["again"], state: .warm, note: "The same with a full cache."),
                    work: work),
            ]
            plan.settings = [
                BenchSetting("warm.pictures", "\(urls.count)"),
                BenchSetting("warm.latency", "\(latency) ms"),
                BenchSetting("warm.concurrency", "\(work.concurrency)"),
            ]
            try await addFourLevels(context, &plan, closers)
            return plan
        }
    }

    /// Posters as four JPEG levels, over plain HTTP, which every program speaks.
    private static func addFourLevels(
        _ context: BenchContext, _ plan: inout BenchPlan, _ closers: BenchClosers
    ) async throws {
        let levels = context.settings.levels.filter { $0.name != "xl" }
            .sorted { $0.width > $1.width }
        let corpus = try await ServeCorpus.make(
            context, named: "warm-corpus", posters: context.isQuick ? 100 : 300)
        let origin = try await BenchOrigin.start(
            [
                "--pictures", corpus.directory, "--latency", "\(latency)", "--transport", "plain",
            ], seed: context.seed, scratch: context.scratch)
        closers.add { await origin.stop() }
        let urls = corpus.names.map { "http://\(BenchOrigin.pictureHost)/0/\($0)" }
        let list = "\(context.scratch)/warm-urls-plain"
        try await FileThreads.run {
            try Data(urls.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))
        }
        let names = levels.map(\.name).joined(separator: ",")
        let work = WarmWork(
            origin: origin, corpus: corpus, urls: urls, list: list, scratch: context.scratch,
            program: try ServerProcess.ownPath(),
            options: context.settingArguments + ["--levels", names, "--formats", "jpeg"],
            concurrency: 100)
        let what = ["levels=\(names)", "formats=jpeg"]
        plan.cases.append(
            WarmCase(
                head: BenchRow.Head(
                    .warm, what, note: "\(urls.count) posters, 100 transfers at a time."),
                work: work))
        guard let peer = await WarmPeer.installed(context, &plan) else { return }
        plan.cases.append(
            PeerWarmCase(
                head: BenchRow.Head(
                    .warm, what + ["peer=\(WarmPeer.name)"], peer: peer.version,
                    note: "Downloads everything first; decodes once for each level."),
                work: work, peer: peer,
                wanted: ThumbnailPeer.Wanted(
                    levels: levels, format: .jpeg, imaging: context.settings.imaging)))
    }
}

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
