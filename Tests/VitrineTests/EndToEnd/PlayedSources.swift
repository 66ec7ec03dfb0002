import Fetch
import Foundation
import TestSupport
import Testing

/// An origin that plays the APIs of `docs/sources.md` and `config/sources`, for the built program.
struct PlayedSources {
    let origin: OriginServer
    let directory: TemporaryDirectory
    private let authority: CertificateAuthority

    private static let hosts = [
        "cdn.prints.example", "api.shop.example", "cdn.shop.example", "musicbrainz.org",
        "coverartarchive.org", "archive.org", "ia800.us.archive.org", "openlibrary.org",
        "covers.openlibrary.org",
    ]
    private static let release = "76df3287-6cda-33eb-8e9a-044b5e15ffdd"

    init() async throws {
        authority = try CertificateAuthority()
        origin = try await OriginServer.start(.tls(authority, names: Self.hosts))
        directory = try TemporaryDirectory()
        for path in [
            "/lighthouse/large.jpg", "/lighthouse/small.jpg", "/17-300.jpg", "/17-1200.jpg",
            "/18-300.jpg", "/18-1200.jpg", "/19-300.jpg", "/19-1200.jpg",
            "/b/id/11481354-L.jpg", "/b/id/11481354-M.jpg", "/dummy.jpg",
        ] { servePicture(path) }
        // As the archive does: by two redirects.
        for size in ["-250", "-500", "-1200", ""] {
            origin.on(
                "/release/\(Self.release)/front\(size)", host: "coverartarchive.org",
                .redirect(to: "https://archive.org/download/mbid/dummy.jpg", status: 307))
        }
        origin.on(
            "/download/mbid/dummy.jpg", host: "archive.org",
            .redirect(to: "https://ia800.us.archive.org/dummy.jpg"))
        serveShop()
        try serveExamples()
    }

    func servePicture(_ path: String) {
        let seed = path.utf8.reduce(7) { ($0 &* 31 &+ UInt64($1)) & 0xFFFF }
        origin.on(
            path, .ok(FixtureImages.jpeg(width: 120, height: 120, seed: seed), type: "image/jpeg"))
    }

    static func chair(_ id: Int) -> String {
        """
        {"id":\(id),"name":"Chair \(id)","tags":["wood","red"],"text":"<p>A chair.</p>",\
        "image":{"small":"https://cdn.shop.example/\(id)-300.jpg",\
        "large":"https://cdn.shop.example/\(id)-1200.jpg"}}
        """
    }

    private func serveShop() {
        for id in 17...19 {
            origin.on("/chairs/\(id)", host: "api.shop.example", .json(Self.chair(id)))
        }
        origin.on("/chairs/99", host: "api.shop.example", .json("{}", status: 404))
        origin.on("/chairs/50", host: "api.shop.example", .status(503))
        origin.on("/chairs", host: "api.shop.example") { request in
            let chairs = request.query == "page=1&per_page=2" ? 17...18 : 19...19
            return .json(
                "{\"total\":3,\"chairs\":[\(chairs.map(Self.chair).joined(separator: ","))]}")
        }
        origin.on(
            "/search", host: "api.shop.example",
            .json(#"{"found":[{"number":17,"name":"Red chair"}]}"#))
    }

    private func serveExamples() throws {
        func serve(_ path: String, _ host: String, _ name: String) throws {
            origin.on(path, host: host, .json(try Fixtures.answer(name)))
        }
        try serve("/works/OL893415W.json", "openlibrary.org", "openlibrary-work.json")
        try serve("/search.json", "openlibrary.org", "openlibrary-search.json")
        try serve(
            "/ws/2/release/\(Self.release)", "musicbrainz.org", "musicbrainz-release.json")
        try serve("/ws/2/release", "musicbrainz.org", "musicbrainz-search.json")
    }

    /// Leads a command to this origin, with a cache of its own.
    var environment: [String: String] {
        PlayedTVMaze.patience.merging([
            "VITRINE_FETCH_CONNECT_TO": Self.hosts.map { origin.connectTo(host: $0) }
                .joined(separator: ","),
            "VITRINE_FETCH_CA_FILE": authority.file,
            "VITRINE_FETCH_ALLOW_NETWORKS": "127.0.0.0/8", "VITRINE_SERVER_PORT": "0",
        ]) { $1 }
    }

    func run(_ arguments: [String]) async throws -> Executable.Finished {
        try await Executable.run(arguments, in: directory.path, environment: environment)
    }

    /// Starts the service; the program and the address that it listens on.
    func serve(_ arguments: [String]) async throws -> (RunningExecutable, String) {
        let running = try RunningExecutable(
            ["serve"] + arguments, in: directory.path, environment: environment)
        let address = try #require(await running.line(after: "vitrine: listening on "))
        return (running, address)
    }
}
