import Console
import Fetch
import Threads

/// What there is to see in a demo, for people and for the round that checks it.
struct DemoVisit: Sendable {
    /// `http://127.0.0.1:8080`.
    let address: String
    let sources: [DemoAnnouncement.Source]

    private var sights: [(path: String, what: String)] {
        [
            ("/v1/tvmaze/shows?page=0", "a catalog page"),
            ("/t/m/tvmaze/poster/1", "a poster by its own chain"),
            ("/o/tvmaze/show/1", "an original"),
        ] + sources.map { ("/t/l/\($0.example)", "\($0.contents)") }
    }

    /// What there is to see, and last, alone, the gallery's address.
    func invitation(hasColors: Bool) -> String {
        // Each fits into 80 columns.
        let lines = TextTable(rows: sights.map { ["  \($0.path)", $0.what] }).lines
        let gallery = TextColor.cyan.paint("\(address)/", if: hasColors)
        return (["There is also"] + lines + ["Press Ctrl-C to stop. The gallery:", "", gallery])
            .joined(separator: "\n")
    }

    /// Looks at everything once, as a client over HTTP, and tells of each.
    func run(_ tell: (String) -> Void) async throws {
        var configuration = FetchConfiguration()
        configuration.allowedNetworks = ["127.0.0.0/8", "::1/128"].compactMap(Network.init)
        let fetcher = try Fetcher(configuration)
        try await withEnd(fetcher.shutdown) {
            for (path, what) in [("/", "the gallery")] + sights {
                let response = try await fetcher.fetch(
                    FetchRequest(url: address + path, purpose: .api, maxBytes: 16 << 20))
                guard response.status == 200, !response.body.isEmpty else {
                    throw CommandError(
                        "\(address)\(path), \(what), answered \(response.status); expected 200.")
                }
                tell("\(path): 200, \(ReadableText.size(response.body.count))")
            }
        }
    }
}
