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
