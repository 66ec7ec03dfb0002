import Fetch
import Foundation
import JSON
import PlayedAPIs
import TestSupport
import Testing

/// An origin that plays TVmaze for the built program, and the options that lead the program there.
struct PlayedTVMaze {
    let origin: OriginServer
    let authority: CertificateAuthority
    let directory: TemporaryDirectory

    private static let hosts = [TVMazeShow.host, TVMazeShow.imageHost]

    /// A page of shows 1…`shows`, each with a picture of its own in both sizes.
    init(shows: Int) async throws {
        authority = try CertificateAuthority()
        origin = try await OriginServer.start(.tls(authority, names: Self.hosts))
        directory = try TemporaryDirectory()
        let list = (1...shows).map(Self.show)
        origin.on("/shows", host: TVMazeShow.host) { request in
            request.query == "page=0"
                ? .json(JSON.list(list).text)
                : .json(TVMazeProblem.notFound.json.text, status: 404)
        }
        for id in 1...shows {
            origin.on("/shows/\(id)", host: TVMazeShow.host, .json(list[id - 1].text))
            let picture = FixtureImages.jpeg(width: 120, height: 180, seed: UInt64(id))
            origin.on("/original/\(id).jpg", .ok(picture, type: "image/jpeg"))
            origin.on("/medium/\(id).jpg", .ok(picture, type: "image/jpeg"))
        }
    }

    private static func show(_ id: Int) -> JSON {
        var show = TVMazeShow(id: id)
        let base = "https://\(TVMazeShow.imageHost)"
        show.image = TVMazeShow.links(
            medium: "\(base)/medium/\(id).jpg", original: "\(base)/original/\(id).jpg")
        return show.json
    }

    /// Options that lead a command to this origin, with a cache of its own.
    var options: [String] {
        Self.hosts.flatMap { ["--connect-to", origin.connectTo(host: $0)] } + [
            "--ca-file", authority.file, "--allow-network", "127.0.0.0/8",
            "--cache", directory.file("cache"),
        ]
    }

    /// What a busy machine needs, where the program would soon take an origin for stuck.
    static let patience = ["VITRINE_FETCH_TOTAL_TIMEOUT": "20m"]

    func start(
        _ arguments: [String], environment: [String: String] = [:], wrapper: [String] = []
    ) throws -> RunningExecutable {
        try RunningExecutable(
            arguments + options, in: directory.path,
            environment: Self.patience.merging(environment) { $1 }, wrapper: wrapper)
    }

    /// Starts the service; the program and the address that it listens on.
    func serve(
        _ arguments: [String] = [], environment: [String: String] = [:], wrapper: [String] = []
    ) async throws -> (RunningExecutable, String) {
        let running = try start(
            ["serve", "--port", "0"] + arguments, environment: environment, wrapper: wrapper)
        let address = try #require(await running.line(after: "vitrine: listening on "))
        return (running, address)
    }

    /// A client without a cache, and with all patience.
    private static func client(_ caFile: String? = nil) throws -> Fetcher {
        var configuration = FetchConfiguration()
        configuration.allowedNetworks = [Network("127.0.0.0/8")].compactMap(\.self)
        configuration.connectTimeout = .seconds(600)
        configuration.lowSpeedTime = .seconds(600)
        configuration.totalTimeout = .seconds(1_200)
        configuration.retry.attempts = 1
        configuration.caFile = caFile
        return try Fetcher(configuration)
    }

    /// Asks once, with a client of its own.
    static func get(
        _ url: String, _ headers: [(name: String, value: String)] = [], caFile: String? = nil
    ) async throws -> FetchResponse {
        let fetcher = try client(caFile)
        var request = FetchRequest(url: url, purpose: .original, maxBytes: 1 << 24)
        request.headers = headers
        let response: FetchResponse
        do {
            response = try await fetcher.fetch(request)
        } catch {
            await fetcher.shutdown()
            throw error
        }
        await fetcher.shutdown()
        return response
    }

    func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Executable.Finished {
        try await Executable.run(
            arguments + options, in: directory.path,
            environment: Self.patience.merging(environment) { $1 })
    }

    struct Summary: Decodable, Equatable {
        var items: Int
        var originals: Int
        var thumbnails: Int
        var reused: Int
        var placeholders: Int
        var fallbacks: Int
        var failed: Int
        var evicted: Int
        var left: Int
    }

    func warm(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, Summary, error: String) {
        let finished = try await run(
            ["warm", "tvmaze"] + arguments + ["--json"], environment: environment)
        let last = finished.output.split(separator: "\n").last ?? ""
        let summary = try JSONDecoder().decode(Summary.self, from: Data(last.utf8))
        return (finished.status, summary, finished.error)
    }
}
