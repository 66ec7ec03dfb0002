import App
import Fetch
import FoundationEssentials
import Imaging

/// `vitrine-demo` as the origin of a benchmark, and how children of this program reach it.
struct BenchOrigin: Sendable {
    /// Host that shows the files of `--pictures`.
    static let pictureHost = "pictures.example"

    let announcement: DemoAnnouncement
    private let program: DemoProgram
    private let authorityFile: String

    /// Starts it and returns once it listens.
    ///
    /// - Parameters:
    ///   - options: of `vitrine-demo origin`, such as `["--latency", "50"]`.
    ///   - scratch: directory for its certificate.
    ///   - shows: shows of its TVMaze.
    static func start(
        _ options: [String], seed: UInt64, shows: Int = 1, scratch: String
    ) async throws -> BenchOrigin {
        let program = try await FileThreads.run { () throws(CommandError) in
            try DemoProgram.start(shows: shows, seed: seed, options: options)
        }
        let file = "\(scratch)/origin-\(UUID().uuidString).pem"
        let origin = BenchOrigin(program, file)
        do {
            try await FileThreads.run {
                try Data(program.announcement.certificateAuthorityPEM.utf8)
                    .write(to: URL(fileURLWithPath: file))
            }
        } catch {
            await origin.stop()
            throw error
        }
        return origin
    }

    private init(_ program: DemoProgram, _ authorityFile: String) {
        self.program = program
        self.authorityFile = authorityFile
        announcement = program.announcement
    }

    func stop() async {
        let program = program
        await FileThreads.run { program.stop() }
    }

    /// Settings with which `vitrine serve` and `vitrine warm` find the origin, at a pace that is not
    /// meant for real services.
    var environment: [String: String] {
        [
            "VITRINE_FETCH_CONNECT_TO": announcement.connectTo.joined(separator: ","),
            "VITRINE_FETCH_CA_FILE": authorityFile,
            "VITRINE_FETCH_ALLOW_NETWORKS": announcement.allowNetwork,
            "VITRINE_FETCH_HOST_CONCURRENCY": "32",
            "VITRINE_SPOTIFY_CLIENT_ID": announcement.credentials.spotifyClientID,
            "VITRINE_SPOTIFY_CLIENT_SECRET": announcement.credentials.spotifyClientSecret,
            "VITRINE_TMDB_TOKEN": announcement.credentials.tmdbToken,
        ]
    }

    /// The same for a fetcher of this process.
    func fetchConfiguration(concurrency: Int) -> FetchConfiguration {
        var configuration = FetchConfiguration()
        configuration.connectTo = announcement.connectTo
        configuration.caFile = authorityFile
        configuration.allowedNetworks = [Network(announcement.allowNetwork)].compactMap(\.self)
        configuration.maxTransfers = concurrency
        configuration.defaultHost = HostPolicy(maxConcurrent: concurrency)
        return configuration
    }

    /// `--cacert` of curl and others.
    var authority: String { authorityFile }
    /// `HOST:PORT:HOST:PORT` of the host that shows files.
    var connectTo: String {
        announcement.connectTo.first { $0.hasPrefix(Self.pictureHost) } ?? ""
    }
}
