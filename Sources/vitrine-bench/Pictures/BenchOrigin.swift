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

    /// Starts it and returns once it listens. It is stopped by the closers.
    ///
    /// - Parameters:
    ///   - options: of `vitrine-demo origin`, such as `["--latency", "50"]`.
    ///   - shows: shows of its TVmaze.
    static func start(
        _ corpus: Corpus, _ options: [String], shows: Int = 1, _ context: BenchContext,
        _ closers: BenchClosers
    ) async throws -> BenchOrigin {
        let program = try await FileThreads.run { () throws(CommandError) in
            try DemoProgram.start(
                shows: shows, seed: context.seed,
                options: ["--pictures", corpus.directory] + options)
        }
        closers.add { await FileThreads.run { program.stop() } }
        closers.watch {
            program.ending.map { "vitrine-demo, which plays the origin, \($0)." }
        }
        let origin = BenchOrigin(
            announcement: program.announcement, authority: context.place("origin") + ".pem")
        try await context.write(
            program.announcement.certificateAuthorityPEM.utf8, to: origin.authority)
        return origin
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

    /// Runs the body with a fetcher that finds the origin.
    ///
    /// - Parameter hosts: further names below ``pictureHost`` that lead to it, without its port's.
    func withFetcher<Value>(
        concurrency: Int, hosts: [String] = [], _ body: (Fetcher) async throws -> Value
    ) async throws -> Value {
        try await withLoopbackFetcher(
            allowing: announcement.allowNetwork, concurrency: concurrency
        ) { configuration in
            configuration.connectTo =
                announcement.connectTo + hosts.map { "\($0):80:\(address)" }
            configuration.caFile = authority
        } body: {
            try await body($0)
        }
    }

    /// `HOST:PORT:HOST:PORT` of the host that shows files.
    var connectTo: String {
        announcement.connectTo.first { $0.hasPrefix(Self.pictureHost) } ?? ""
    }

    /// `HOST:PORT` on which it listens.
    var address: String { connectTo.split(separator: ":").suffix(2).joined(separator: ":") }
}

/// Runs the body with a fetcher that is shut down afterwards.
///
/// - Parameters:
///   - allowing: the network that it may reach.
///   - concurrency: transfers at once, all of them to one host if need be.
func withLoopbackFetcher<Value>(
    allowing network: String, concurrency: Int,
    _ change: (inout FetchConfiguration) -> Void = { _ in },
    body: (Fetcher) async throws -> Value
) async throws -> Value {
    var configuration = FetchConfiguration()
    configuration.allowedNetworks = [network].compactMap(Network.init)
    configuration.defaultHost = HostPolicy(maxConcurrent: concurrency)
    configuration.maxTransfers = concurrency
    change(&configuration)
    let fetcher = try Fetcher(configuration)
    return try await withEnd(fetcher.shutdown) { try await body(fetcher) }
}
