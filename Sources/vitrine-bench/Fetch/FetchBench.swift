import App
import Console
import Fetch
import Threads

/// What `vitrine bench fetch` measures: files from an origin on this machine through this program's own
/// fetcher, as a miss gets its original. Each is checked byte by byte.
enum FetchBench {
    /// One way in which the origin answers.
    private struct Way {
        var what: [String]
        var words: String
        /// `plain`, `tls` or `http2`, as `vitrine-demo` calls them.
        var transport = "plain"
        var options: [String] = []
        var concurrency = 16
        /// How many hosts the files are spread over.
        var hosts = 1
        var note: String?

        func host(_ number: Int) -> String {
            hosts > 1 ? "h\(number % hosts).\(BenchOrigin.pictureHost)" : BenchOrigin.pictureHost
        }
    }

    private static let waits = ["--latency", "40", "--jitter", "20"]
    private static let ways = [
        Way(what: ["transport=http1"], words: "HTTP/1.1"),
        Way(what: ["transport=tls"], words: "HTTP/1.1 over TLS", transport: "tls"),
        Way(what: ["transport=http2"], words: "HTTP/2 over TLS", transport: "http2"),
        Way(
            what: ["latency=50ms", "concurrency=100"], words: "an origin that waits, 100 at a time",
            options: waits, concurrency: 100,
            note: "The origin waits 40 to 60 ms: 2,000 files a second at best."),
        Way(
            what: ["hosts=300"], words: "300 hosts that wait, a connection each", options: waits,
            concurrency: 300, hosts: 300,
            note: "The origin waits 40 to 60 ms: 6,000 files a second at best."),
        Way(
            what: ["errors=5%"], words: "an origin that fails one time in twenty",
            options: ["--error-rate", "0.05"],
            note: "One answer in twenty is a 503. Retries pause, which bounds the rate."),
    ]

    static func plan(_ context: BenchContext, _ closers: BenchClosers) async throws -> BenchPlan {
        let corpus = try await Corpus.posters(context, into: "serve-corpus")
        let files = try await FileThreads.run { () throws(LocalFileError) in
            try corpus.files.map { path throws(LocalFileError) in
                try LocalFile.read(path, limit: 256 << 20)
            }
        }
        // Those of the corpus come again in the same order.
        let count = context.isQuick ? 400 : 1_500
        var plan = BenchPlan()
        for way in ways {
            let origin = try await BenchOrigin.start(
                corpus, ["--transport", way.transport] + way.options, context, closers)
            let hosts = way.hosts > 1 ? (0..<way.hosts).map(way.host) : []
            let scheme = way.transport == "plain" ? "http" : "https"
            let head = BenchRow.Head(.fetch, way.what, way.words, note: way.note)
            plan.cases.append(
                BenchCase(head) { _ in
                    try await origin.withFetcher(
                        concurrency: way.concurrency, hosts: hosts
                    ) { fetcher in
                        try await Calls.sample(count, of: "file", callers: way.concurrency) {
                            number in
                            let place = number % files.count
                            let url = "\(scheme)://\(way.host(number))/0/\(corpus.names[place])"
                            return { try await fetch(url, files[place], fetcher) }
                        }
                    }
                })
        }
        let bytes = files.reduce(0) { $0 + $1.count }
        plan.settings = [
            BenchSetting("fetch.files", "\(count)"),
            BenchSetting("fetch.bytes", "\(bytes / max(1, files.count) / 1_000) kB on average"),
        ]
        return plan
    }

    private static func fetch(
        _ url: String, _ expected: [UInt8], _ fetcher: Fetcher
    ) async throws {
        let response = try await fetcher.fetch(
            FetchRequest(url: url, purpose: .original, maxBytes: 256 << 20))
        try check(url, response.status, response.body, expected: expected)
    }

    /// Checks a response.
    static func check(
        _ url: String, _ status: Int, _ body: [UInt8], expected: [UInt8]
    ) throws(CommandError) {
        if status != 200 { throw CommandError("\(url) answered \(status); expected 200.") }
        if body != expected { throw CommandError("\(url) gave other bytes than the file has.") }
    }
}
