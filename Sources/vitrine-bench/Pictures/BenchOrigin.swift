import App
import Console
import Fetch
import FoundationEssentials
import Threads

/// `vitrine-demo` as the origin of a benchmark, and how this program and its children reach it.
struct BenchOrigin: Sendable {
    /// Host that shows the files of `--pictures`, under any name below it, too.
    static let pictureHost = "pictures.example"

    let announcement: DemoAnnouncement
    /// `--cacert` of curl and others.
    let authority: String
    private let program: DemoProgram

    /// Starts it and returns once it listens. It is stopped by the closers.
    ///
    /// - Parameters:
    ///   - options: of `vitrine-demo origin`, such as `["--latency", "50"]`.
    ///   - shows: shows of its TVmaze.
    static func start(
        _ corpus: Corpus, _ options: [String], shows: Int = 1, _ context: BenchContext,
        _ closers: BenchClosers
    ) async throws -> BenchOrigin {
        let file = "\(context.scratch)/origin-\(UUID().uuidString).pem"
        let program = try await FileThreads.run { () throws(CommandError) in
            try DemoProgram.start(
                shows: shows, seed: context.seed,
                options: ["--pictures", corpus.directory] + options)
        }
        closers.add { await FileThreads.run { program.stop() } }
        let authority = Array(program.announcement.certificateAuthorityPEM.utf8)
        try await FileThreads.run { () throws(LocalFileError) in
            try LocalFile.replace(file, with: authority)
        }
        return BenchOrigin(
            announcement: program.announcement, authority: file, program: program)
    }

    /// Settings with which `vitrine serve` and `vitrine warm` find the origin, at a pace that is not
    /// meant for real services.
    var environment: [String: String] {
        [
            "VITRINE_FETCH_CONNECT_TO": announcement.connectTo.joined(separator: ","),
            "VITRINE_FETCH_CA_FILE": authority,
            "VITRINE_FETCH_ALLOW_NETWORKS": announcement.allowNetwork,
            "VITRINE_FETCH_HOST_CONCURRENCY": "32",
            "VITRINE_SPOTIFY_CLIENT_ID": announcement.credentials.spotifyClientID,
            "VITRINE_SPOTIFY_CLIENT_SECRET": announcement.credentials.spotifyClientSecret,
            "VITRINE_TMDB_TOKEN": announcement.credentials.tmdbToken,
        ]
    }

    /// The same for a fetcher of this process.
    ///
    /// - Parameter hosts: further names below ``pictureHost`` that lead to it, without its port's.
    func fetchConfiguration(concurrency: Int, hosts: [String] = []) -> FetchConfiguration {
        var configuration = FetchConfiguration()
        configuration.connectTo =
            announcement.connectTo + hosts.map { "\($0):80:\(address)" }
        configuration.caFile = authority
        configuration.allowedNetworks = [Network(announcement.allowNetwork)].compactMap(\.self)
        configuration.maxTransfers = concurrency
        configuration.defaultHost = HostPolicy(maxConcurrent: concurrency)
        return configuration
    }

    /// `HOST:PORT:HOST:PORT` of the host that shows files.
    var connectTo: String {
        announcement.connectTo.first { $0.hasPrefix(Self.pictureHost) } ?? ""
    }

    /// `HOST:PORT` on which it listens.
    var address: String { connectTo.split(separator: ":").suffix(2).joined(separator: ":") }
}

/// Work on many values, some at a time.
enum BoundedMap {
    /// Returns the results in the order of the values. The first error ends it.
    static func run<Input: Sendable, Output: Sendable>(
        _ values: [Input], concurrency: Int,
        _ body: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> [Output] {
        var results = [Output?](repeating: nil, count: values.count)
        try await withThrowingTaskGroup(of: (Int, Output).self) { group in
            var next = 0
            func add() {
                guard next < values.count else { return }
                let (index, value) = (next, values[next])
                group.addTask { (index, try await body(value)) }
                next += 1
            }
            for _ in 0..<max(1, concurrency) { add() }
            while let (index, result) = try await group.next() {
                results[index] = result
                add()
            }
        }
        return results.compactMap(\.self)
    }
}

/// Runs the body with a fetcher that is shut down afterwards.
func withFetcher<Value>(
    _ configuration: FetchConfiguration, _ body: (Fetcher) async throws -> Value
) async throws -> Value {
    let fetcher = try Fetcher(configuration)
    return try await withEnd {
        try await body(fetcher)
    } end: {
        await fetcher.shutdown()
    }
}
