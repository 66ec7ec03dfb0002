import App
import Console
import Imaging

/// What `vitrine bench warm` measures: a cache filled from an origin that waits 50 ms, by the command
/// that users run; and the common case of four JPEG levels beside other programs.
enum WarmBench {
    static func plan(_ context: BenchContext, _ closers: BenchClosers) async throws -> BenchPlan {
        let corpus = try await Corpus.posters(context, into: "serve-corpus")
        let work = try await WarmWork.make(context, corpus, isPlain: false, closers: closers)
        var plan = BenchPlan()
        plan.cases = [
            work.fill(
                BenchRow.Head(
                    .warm, ["cold"], "every level of every picture into an empty cache",
                    note: "With the two stages alone for comparison.")),
            BenchCase(
                BenchRow.Head(.warm, ["again"], "the same with a full cache", state: .warm)
            ) { _ in
                let cache = context.place("cache")
                _ = try await work.warm(cache)
                let (end, summary) = try await work.warm(cache)
                var sample = end.sample(corpus.names.count, of: "picture")
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
            BenchSetting("warm.latency", "\(WarmWork.latency) ms"),
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
        let corpus = try await Corpus.posters(context, into: "warm-corpus", counts: (100, 300))
        let names = levels.map(\.name).joined(separator: ",")
        let work = try await WarmWork.make(
            context, corpus, isPlain: true,
            options: ["--levels", names, "--formats", "jpeg"], concurrency: 100, closers: closers)
        let what = ["levels=\(names)", "formats=jpeg"]
        let words = "posters from an origin to \(levels.count) JPEG levels on disk"
        plan.cases.append(
            work.fill(
                BenchRow.Head(
                    .warm, what, words,
                    note: "\(corpus.names.count) posters, 100 transfers at a time.")))
        let name = "aria2c+vipsthumbnail"
        guard context.options.wants(peer: name) else { return }
        guard let aria2c = MeasuredProgram.find("aria2c"),
            let vipsthumbnail = MeasuredProgram.find("vipsthumbnail")
        else {
            plan.notes.append("\(name) needs aria2c and vipsthumbnail and was left out.")
            return
        }
        let wanted = WantedThumbnails(corpus, levels, .jpeg, context.settings.imaging)
        // What one would put together without this program.
        let script = """
            "\(aria2c)" --no-conf --quiet --input-file "$URLS" --dir "$IN" \
            --max-concurrent-downloads \(work.concurrency) --max-connection-per-server 1 --split 1 \
            --header "Host: \(BenchOrigin.pictureHost)" --file-allocation none \
            --download-result hide --no-proxy 127.0.0.1 && \
            find "$IN" -type f > "$LIST" && \
            xargs -a "$LIST" \(corpus.batches.joined(separator: " ")) sh -c "$SCRIPT" vipsthumbnail
            """
        let head = BenchRow.Head(
            .warm, what, words, peer: (name, name),
            note: "Downloads everything first; decodes once for each level.")
        let count = corpus.names.count
        let urls = corpus.names.map { "http://\(work.origin.address)/0/\($0)\n" }.joined()
        plan.cases.append(
            context.program(head, count, of: "picture") { directory in
                try await context.write(urls.utf8, to: directory + "-urls")
                var order = MeasuredProgram.Order("/bin/sh", ["-c", script])
                order.environment = [
                    "IN": directory + "-in", "OUT": directory, "URLS": directory + "-urls",
                    "LIST": directory + "-list", "PROGRAM": vipsthumbnail,
                    "VIPS_CONCURRENCY": "1",
                    "SCRIPT": wanted.script,
                ]
                return order
            } check: { directory, sample in
                try sample.addThumbnails(
                    in: directory, images: count, expected: count * levels.count)
            })
    }
}
