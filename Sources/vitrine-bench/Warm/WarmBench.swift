import App
import Console
import Fetch
import FoundationEssentials
import Imaging
import Memory
import Threads

/// What `vitrine bench warm` measures: a cache filled from an origin that waits 50 ms, by the command
/// that users run; and the common case of four JPEG levels beside other programs.
enum WarmBench {
    /// Milliseconds that the origin waits before each answer.
    private static let latency = 50

    static func plan(_ context: BenchContext, _ closers: BenchClosers) async throws -> BenchPlan {
        let corpus = try await Corpus.posters(context, into: "serve-corpus")
        let work = try await WarmWork.make(
            context, corpus, latency: latency, isPlain: false, closers: closers)
        var plan = BenchPlan()
        plan.cases = [
            work.fill(
                BenchRow.Head(
                    .warm, ["cold"], "every level of every picture into an empty cache",
                    note: "With the two stages alone for comparison.")),
            BenchCase(
                BenchRow.Head(.warm, ["again"], "the same with a full cache", state: .warm)
            ) { _ in
                let cache = work.place("cache")
                _ = try await work.warm(cache)
                let (end, summary) = try await work.warm(cache)
                var sample = work.sample(end)
                sample.add(.downloads, Double(summary.originals))
                sample.expect(
                    summary.originals + summary.thumbnails == 0,
                    "A full cache fetched \(summary.originals) originals and rendered "
                        + "\(summary.thumbnails) thumbnails again.")
                return sample
            },
        ]
        plan.settings = [
            BenchSetting("warm.pictures", "\(corpus.names.count)"),
            BenchSetting("warm.latency", "\(latency) ms"),
        ]
        try await addFourLevels(context, &plan, closers)
        return plan
    }

    /// Posters as four JPEG levels, over plain HTTP, which every program speaks.
    private static func addFourLevels(
        _ context: BenchContext, _ plan: inout BenchPlan, _ closers: BenchClosers
    ) async throws {
        let levels = context.settings.levels.filter { $0.name != "xl" }
            .sorted { $0.width > $1.width }
        let corpus = try await Corpus.posters(
            context, into: "warm-corpus", count: context.isQuick ? 100 : 300)
        let names = levels.map(\.name).joined(separator: ",")
        let work = try await WarmWork.make(
            context, corpus, latency: latency, isPlain: true,
            options: ["--levels", names, "--formats", "jpeg"], concurrency: 100, closers: closers)
        let what = ["levels=\(names)", "formats=jpeg"]
        let words = "posters from an origin to \(levels.count) JPEG levels on disk"
        plan.cases.append(
            work.fill(
                BenchRow.Head(
                    .warm, what, words,
                    note: "\(corpus.names.count) posters, 100 transfers at a time.")))
        let peer = "aria2c+vipsthumbnail"
        guard context.wantsPeer(peer) else { return }
        guard let aria2c = MeasuredProgram.find("aria2c"),
            let vipsthumbnail = MeasuredProgram.find("vipsthumbnail")
        else {
            plan.notes.append("\(peer) needs aria2c and vipsthumbnail and was left out.")
            return
        }
        let wanted = ThumbnailPeer.Wanted(
            levels: levels, format: .jpeg, imaging: context.settings.imaging)
        let cores = MachineProcessors.count()
        let batch = min(64, (corpus.names.count + cores - 1) / cores)
        // What one would put together without this program. `$IN`, `$OUT`, `$LIST` and `$SCRIPT` are set.
        let script = """
            "\(aria2c)" --no-conf --quiet --input-file "$URLS" --dir "$IN" \
            --max-concurrent-downloads \(work.concurrency) --max-connection-per-server 1 --split 1 \
            --header "Host: \(BenchOrigin.pictureHost)" --file-allocation none \
            --download-result hide --no-proxy 127.0.0.1 && \
            find "$IN" -type f > "$LIST" && \
            xargs -a "$LIST" -P \(cores) -n \(batch) sh -c "$SCRIPT" vipsthumbnail
            """
        let head = BenchRow.Head(
            .warm, what, words, peer: (peer, peer),
            note: "Downloads everything first; decodes once for each level.")
        plan.cases.append(
            BenchCase(head) { _ in
                let directory = work.place("peer")
                let urls = corpus.names.map { "http://\(work.origin.address)/0/\($0)\n" }.joined()
                try await FileThreads.run { () throws(LocalFileError) in
                    for name in ["in", "out"] {
                        try LocalFile.makeDirectory("\(directory)/\(name)")
                    }
                    try LocalFile.replace("\(directory)/urls", with: Array(urls.utf8))
                }
                var order = MeasuredProgram.Order("/bin/sh", ["-c", script])
                order.environment = [
                    "IN": "\(directory)/in", "OUT": "\(directory)/out",
                    "URLS": "\(directory)/urls", "LIST": "\(directory)/list",
                    "PROGRAM": vipsthumbnail, "VIPS_CONCURRENCY": "1",
                    "SCRIPT": ThumbnailPeer.vipsthumbnail.script(wanted),
                ]
                order.errors = "\(directory)-errors"
                let end = try await MeasuredProgram.run(order)
                let made = await FileThreads.run {
                    ((try? LocalFile.names(in: "\(directory)/out")) ?? []).count
                }
                var sample = work.sample(end)
                let expected = corpus.names.count * levels.count
                sample.expect(
                    made == expected, "\(made) thumbnails were made; expected \(expected).")
                return sample
            })
    }
}
