import App
import FoundationEssentials

/// What `vitrine bench fetch` measures: files from an origin on this machine, each checked byte by byte.
struct FetchBench: Sendable {
    /// One way in which the origin answers.
    private struct Way {
        var what: [String]
        /// `plain`, `tls` or `http2`, as `vitrine-demo` calls them.
        var transport: String
        var options: [String] = []
        var concurrency = 16
        var note: String?
        /// Whether requests may need a second try.
        var fails = false
    }

    private static let ways = [
        Way(what: ["transport=http1"], transport: "plain"),
        Way(what: ["transport=tls"], transport: "tls", note: "HTTP/1.1 over TLS."),
        Way(what: ["transport=http2"], transport: "http2", note: "HTTP/2 over TLS."),
        Way(
            what: ["latency=50ms", "concurrency=100"], transport: "plain",
            options: ["--latency", "40", "--jitter", "20"], concurrency: 100,
            note: "The origin waits 40 to 60 ms: 2,000 files a second at best."),
        Way(
            what: ["errors=5%"], transport: "plain", options: ["--error-rate", "0.05"],
            note: "One answer in twenty is a 503. Retries pause, which bounds the rate.",
            fails: true),
    ]

    static func plan(_ context: BenchContext) async throws -> BenchPlan {
        try await BenchClosers.plan { closers in
            let corpus = try await ServeCorpus.make(context)
            let files = try await FileThreads.run {
                try corpus.names.map {
                    Array(try Data(contentsOf: URL(fileURLWithPath: "\(corpus.directory)/\($0)")))
                }
            }
            var plan = BenchPlan()
            let peers = try await FetchPeer.installed(context, &plan)
            for way in ways {
                let origin = try await BenchOrigin.start(
                    ["--pictures", corpus.directory, "--transport", way.transport] + way.options,
                    seed: context.seed, scratch: context.scratch)
                closers.add { await origin.stop() }
                let work = FetchWork(
                    origin: origin, names: corpus.names, files: files,
                    count: context.isQuick ? 400 : 1_500, concurrency: way.concurrency,
                    transport: way.transport)
                plan.cases.append(
                    FetchCase(
                        head: BenchRow.Head(.fetch, way.what, note: way.note), work: work))
                // Peers wait a second before a retry, or don't try again: nothing to compare.
                for (peer, program, version) in peers
                where !way.fails && peer.supports(way.transport) {
                    plan.cases.append(
                        PeerFetchCase(
                            head: BenchRow.Head(
                                .fetch, way.what + ["peer=\(peer.rawValue)"], peer: version,
                                note: "Writes the files to a disk."),
                            work: work, peer: peer, program: program, scratch: context.scratch))
                }
            }
            let bytes = files.reduce(0) { $0 + $1.count }
            plan.settings = [
                BenchSetting("fetch.files", "\(context.isQuick ? 400 : 1_500)"),
                BenchSetting("fetch.bytes", "\(bytes / max(1, files.count) / 1_000) kB on average"),
            ]
            return plan
        }
    }
}
