import App
import FoundationEssentials
import Imaging
import Memory

/// What one would put together without this program: aria2c downloads, then vipsthumbnail makes the
/// thumbnails, one process for each core.
struct WarmPeer: Sendable {
    let aria2c: String
    let vipsthumbnail: String
    /// GNU parallel, or xargs where it is missing.
    let runner: String
    let version: String

    static let name = "aria2c+vipsthumbnail"

    /// Returns it if it is wanted and its programs are installed.
    static func installed(
        _ context: BenchContext, _ plan: inout BenchPlan
    ) async -> WarmPeer? {
        guard context.wantsPeer(name) else { return nil }
        guard let aria2c = MeasuredProgram.find("aria2c"),
            let vipsthumbnail = MeasuredProgram.find("vipsthumbnail")
        else {
            plan.notes.append("\(name) needs aria2c and vipsthumbnail and was left out.")
            return nil
        }
        let parallel = MeasuredProgram.find("parallel")
        return WarmPeer(
            aria2c: aria2c, vipsthumbnail: vipsthumbnail, runner: parallel ?? "/usr/bin/xargs",
            version: "\(name), by \(parallel == nil ? "xargs" : "GNU parallel")")
    }

    /// Runs the programs one after the other. `$IN`, `$OUT`, `$LIST` and `$SCRIPT` are set.
    func script(concurrency: Int, pictures: Int) -> String {
        let cores = MachineProcessors.count()
        let batch = min(64, (pictures + cores - 1) / cores)
        let each =
            runner.hasSuffix("/parallel")
            ? "\"\(runner)\" -a \"$LIST\" -j \(cores) -n \(batch) -q"
            : "\"\(runner)\" -a \"$LIST\" -P \(cores) -n \(batch)"
        return """
            "\(aria2c)" --no-conf --quiet --input-file "$URLS" --dir "$IN" \
            --max-concurrent-downloads \(concurrency) --max-connection-per-server 1 --split 1 \
            --header "Host: \(BenchOrigin.pictureHost)" --file-allocation none \
            --download-result hide --no-proxy 127.0.0.1 && \
            find "$IN" -type f > "$LIST" && \(each) sh -c "$SCRIPT" vipsthumbnail
            """
    }
}

/// The same pictures and levels by other programs.
struct PeerWarmCase: BenchCase {
    let head: BenchRow.Head
    let work: WarmWork
    let peer: WarmPeer
    let wanted: ThumbnailPeer.Wanted

    func round(_ number: Int) async throws -> BenchSample {
        try await work.withDirectory("peer") { directory in
            let address = work.origin.connectTo.split(separator: ":").suffix(2)
                .joined(separator: ":")
            let urls = work.corpus.names.map { "http://\(address)/0/\($0)" }
            try await FileThreads.run {
                for name in ["in", "out"] {
                    try FileManager.default.createDirectory(
                        atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
                }
                try Data(urls.joined(separator: "\n").utf8)
                    .write(to: URL(fileURLWithPath: "\(directory)/urls"))
            }
            var order = MeasuredProgram.Order(
                "/bin/sh",
                ["-c", peer.script(concurrency: work.concurrency, pictures: urls.count)])
            order.environment = [
                "IN": "\(directory)/in", "OUT": "\(directory)/out", "URLS": "\(directory)/urls",
                "LIST": "\(directory)/list", "PROGRAM": peer.vipsthumbnail,
                "SCRIPT": ThumbnailPeer.vipsthumbnail.script(wanted), "VIPS_CONCURRENCY": "1",
            ]
            order.errors = .file("\(directory)-errors")
            let end = try await MeasuredProgram.run(order)
            let made = await FileThreads.run {
                // Missing after a failure, which then counts.
                (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/out"))?.count
                    ?? 0
            }
            let items = Double(max(1, urls.count))
            var sample = BenchSample([
                (.rate("pictures/s"), items / end.wall),
                (.processorTime("ms/picture"), end.processor / items * 1e3),
                (.wallTime, end.wall),
            ])
            let expected = urls.count * wanted.levels.count
            sample.expect(made == expected, "\(made) thumbnails were made; expected \(expected).")
            return sample
        }
    }
}
