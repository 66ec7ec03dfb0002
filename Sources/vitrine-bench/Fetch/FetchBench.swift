import App
import Console
import Fetch
import FoundationEssentials
import Glibc
import Threads

/// What `vitrine bench fetch` measures: files from an origin on this machine, each checked byte by byte.
struct FetchBench: Sendable {
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
        /// Whether requests may need a second try.
        var fails = false
    }

    private static let ways = [
        Way(what: ["transport=http1"], words: "HTTP/1.1"),
        Way(what: ["transport=tls"], words: "HTTP/1.1 over TLS", transport: "tls"),
        Way(what: ["transport=http2"], words: "HTTP/2 over TLS", transport: "http2"),
        Way(
            what: ["latency=50ms", "concurrency=100"], words: "an origin that waits, 100 at a time",
            options: ["--latency", "40", "--jitter", "20"], concurrency: 100,
            note: "The origin waits 40 to 60 ms: 2,000 files a second at best."),
        Way(
            what: ["hosts=300"], words: "300 hosts that wait, a connection each",
            options: ["--latency", "40", "--jitter", "20"], concurrency: 300, hosts: 300,
            note: "The origin waits 40 to 60 ms: 6,000 files a second at best."),
        Way(
            what: ["errors=5%"], words: "an origin that fails one time in twenty",
            options: ["--error-rate", "0.05"],
            note: "One answer in twenty is a 503. Retries pause, which bounds the rate.",
            fails: true),
    ]

    /// What one row gets.
    private struct Work: Sendable {
        let origin: BenchOrigin
        let corpus: Corpus
        /// What must come, in the order of the corpus.
        let files: [[UInt8]]
        /// Files of a round; those of the corpus come again in the same order.
        let count: Int
        let concurrency: Int
        let transport: String
        let hosts: Int

        func host(_ number: Int) -> String {
            hosts > 1 ? "h\(number % hosts).\(BenchOrigin.pictureHost)" : BenchOrigin.pictureHost
        }
        func path(_ number: Int) -> String { "/0/\(corpus.names[number % corpus.names.count])" }
        func url(_ number: Int) -> String {
            "\(transport == "plain" ? "http" : "https")://\(host(number))\(path(number))"
        }
        func file(_ number: Int) -> [UInt8] { files[number % files.count] }
    }

    static func plan(_ context: BenchContext, _ closers: BenchClosers) async throws -> BenchPlan {
        let corpus = try await Corpus.posters(context, into: "serve-corpus")
        let files = try await FileThreads.run { () throws(LocalFileError) in
            try corpus.files.map { path throws(LocalFileError) in
                try LocalFile.read(path, limit: 256 << 20)
            }
        }
        var plan = BenchPlan()
        var peers: [(FetchPeer, program: String, version: String)] = []
        for peer in FetchPeer.allCases where context.wantsPeer(peer.rawValue) {
            guard let program = MeasuredProgram.find(peer.rawValue) else {
                plan.notes.append("\(peer.rawValue) is not installed.")
                continue
            }
            let text = await MeasuredProgram.output(of: program, ["--version"])
            let number = text.flatMap(ServePeer.version) ?? ""
            plan.libraries.append(BenchSetting(peer.rawValue, number))
            peers.append((peer, program, "\(peer.rawValue) \(number)"))
        }
        let count = context.isQuick ? 400 : 1_500
        for way in ways {
            let origin = try await BenchOrigin.start(
                corpus, ["--transport", way.transport] + way.options, context, closers)
            let work = Work(
                origin: origin, corpus: corpus, files: files, count: count,
                concurrency: way.concurrency, transport: way.transport, hosts: way.hosts)
            let head = BenchRow.Head(.fetch, way.what, way.words, note: way.note)
            plan.cases.append(BenchCase(head) { _ in try await fetch(work) })
            // Peers wait a second before a retry, or don't try again, and know one host: nothing to
            // compare.
            for (peer, program, version) in peers
            where !way.fails && way.hosts == 1 && peer.supports(way.transport) {
                let head = BenchRow.Head(
                    .fetch, way.what, way.words, peer: (peer.rawValue, version),
                    note: "Writes the files to a disk.")
                plan.cases.append(
                    BenchCase(head) { _ in
                        try await Self.peer(peer, program, work, scratch: context.scratch)
                    })
            }
        }
        let bytes = files.reduce(0) { $0 + $1.count }
        plan.settings = [
            BenchSetting("fetch.files", "\(count)"),
            BenchSetting("fetch.bytes", "\(bytes / max(1, files.count) / 1_000) kB on average"),
        ]
        return plan
    }

    /// Files through this program's own fetcher, as a miss gets its original.
    private static func fetch(_ work: Work) async throws -> BenchSample {
        let hosts = work.hosts > 1 ? (0..<work.hosts).map(work.host) : []
        let configuration = work.origin.fetchConfiguration(
            concurrency: work.concurrency, hosts: hosts)
        return try await withFetcher(configuration) { fetcher in
            let (before, start) = (ProcessUsage.own(), ContinuousClock.now)
            let files = try await BoundedMap.run(
                Array(0..<work.count), concurrency: work.concurrency
            ) { try await Self.one($0, work, fetcher) }
            let wall = start.duration(to: .now) / .seconds(1)
            let spent = ProcessUsage.own() - before
            var latencies = LatencyHistogram()
            for file in files {
                latencies.record(nanoseconds: UInt64(max(0, file.duration / .nanoseconds(1))))
            }
            let bad = files.compactMap(\.problem)
            let count = Double(work.count)
            return BenchSample(
                [
                    (.rate("files/s"), count / wall),
                    (.processorTime("µs/file"), spent / count * 1e6),
                    (
                        BenchQuantity(name: "retries", unit: "", better: nil),
                        Double(files.reduce(0) { $0 + $1.attempts - 1 })
                    ),
                ], latencies: latencies, errors: bad.count, firstError: bad.first)
        }
    }

    /// One file with everything that was tried for it.
    private struct Fetched: Sendable {
        var duration: Duration
        var attempts: Int
        var problem: String?
    }

    private static func one(
        _ number: Int, _ work: Work, _ fetcher: Fetcher
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

    /// The same files by another program.
    private static func peer(
        _ peer: FetchPeer, _ program: String, _ work: Work, scratch: String
    ) async throws -> BenchSample {
        let directory = "\(scratch)/fetched-\(UUID().uuidString)"
        let list = (0..<work.count).map { number in
            peer.line(
                work.url(number), at: "http://\(work.origin.address)\(work.path(number))",
                into: directory, number)
        }.joined()
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.makeDirectory(directory)
            try LocalFile.replace("\(directory)/.list", with: Array(list.utf8))
        }
        var order = MeasuredProgram.Order(
            program,
            peer.arguments(
                work.origin, work.concurrency, work.transport, list: "\(directory)/.list"))
        order.errors = "\(directory)/.errors"
        let end = try await MeasuredProgram.run(order)
        let bad = await FileThreads.run {
            (0..<work.count).filter { number in
                let file = try? LocalFile.read("\(directory)/\(number)", limit: 256 << 20)
                return file != work.file(number)
            }
        }
        try await FileThreads.run { try FileManager.default.removeItem(atPath: directory) }
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

/// Other programs that fetch many files at once.
enum FetchPeer: String, CaseIterable, Sendable {
    case curl, aria2c

    /// aria2c can't connect to another address than the name's, so it has no TLS here, and it has no
    /// HTTP/2.
    func supports(_ transport: String) -> Bool { self == .curl || transport == "plain" }

    /// Names a file to fetch. It is written to `directory/number`.
    func line(_ url: String, at address: String, into directory: String, _ number: Int) -> String {
        switch self {
        case .curl: "url = \"\(url)\"\noutput = \"\(directory)/\(number)\"\n"
        case .aria2c: "\(address)\n  dir=\(directory)\n  out=\(number)\n"
        }
    }

    func arguments(
        _ origin: BenchOrigin, _ concurrency: Int, _ transport: String, list: String
    ) -> [String] {
        switch self {
        case .curl:
            [
                "--disable", "--no-progress-meter", "--fail", "--parallel",
                "--parallel-immediate", "--parallel-max", "\(concurrency)", "--noproxy", "*",
                "--connect-to", origin.connectTo, "--cacert", origin.authority,
                transport == "http2" ? "--http2" : "--http1.1", "--config", list,
            ]
        case .aria2c:
            [
                "--no-conf", "--quiet", "--input-file", list, "--max-concurrent-downloads",
                "\(concurrency)", "--max-connection-per-server", "1", "--split", "1",
                "--header", "Host: \(BenchOrigin.pictureHost)", "--file-allocation", "none",
                "--allow-overwrite", "true", "--auto-file-renaming", "false",
                "--download-result", "hide", "--no-proxy", "127.0.0.1",
            ]
        }
    }
}
