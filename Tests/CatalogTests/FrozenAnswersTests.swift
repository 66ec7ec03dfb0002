import Catalog
import Foundation
import Hashing
import TestSupport
import Testing

/// What the sources make of every recorded answer, as `Fixtures/recordings/read.txt` has it: each item with its
/// chain as the levels try it, each page, and each sentence.
@Suite(.timeLimit(.minutes(1))) struct FrozenAnswersTests {
    private struct Ask {
        var source: any Source
        /// `kind/id`, or a list with its parameters: `search?q=snow`.
        var what: String
        /// Parts of URLs, and the recordings that answer them. Everything else is a 404 without a body.
        var answers: [(part: String, name: String)]
    }

    private static let artist = "7Ln80lUS6He07XvHI8qqHH"

    private static func asks() throws -> [Ask] {
        var asks: [Ask] = []
        func add(_ source: any Source, _ what: String, _ answers: [(String, String)]) {
            asks.append(
                Ask(
                    source: source, what: what,
                    answers: answers.map { ($0, "\(source.name)/\($1)") }))
        }
        let maze = TVMaze()
        add(maze, "shows?page=0", [("/shows?page=0", "shows-page-0")])
        for name in ["search-shows-empty", "search-shows-image-null"] {
            add(maze, "search?q=snow", [("/search", name)])
        }
        add(maze, "poster/183", [("/images", "show-183-images")])
        for name in ["error-404-show", "error-400-embed", "error-404-lookup-null"] {
            add(maze, "show/1", [("/shows/1", name)])
        }
        for name in try Fixtures.recordings(of: "itunes") {
            add(ITunes(), "albums?term=abc", [("/search", name)])
        }
        add(ITunes(), "album/1441164816", [("/lookup", "lookup-album-songs-1441164816")])
        let spotify = Spotify(credentials: SpotifyCredentials(clientID: "a", clientSecret: "b"))
        let token = ("/api/token", "token")
        for name in try Fixtures.recordings(of: "spotify") {
            add(spotify, "artists?q=arctic", [token, ("/search", name)])
            add(spotify, "artists/\(artist)/albums?offset=10", [token, ("/albums", name)])
            add(spotify, "artist/\(artist)", [token, ("/artists/", name)])
            add(spotify, "album/abc", [("/api/token", name)])
        }
        let tmdb = TMDB.scripted
        let sizes = [("/configuration", "configuration"), ("/genre/", "genre-movie-list")]
        for name in try Fixtures.recordings(of: "tmdb") {
            add(tmdb, "movies/popular?page=1", sizes + [("/popular", name)])
            add(
                tmdb, "movie/575264",
                sizes + [("/images", "movie-575264-images"), ("/movie/", name)])
            add(
                tmdb, "movies/top-rated?page=1",
                [("/configuration", name), ("top", "movie-top-rated-page-1")])
        }
        let museum = Rijksmuseum()
        var records: [(String, String)] = []
        for name in try Fixtures.recordings(of: "rijksmuseum") {
            let parts = name.split(separator: "-").map(String.init)
            if parts[0] == "iiif" { records.append(("/\(parts[2])/info.json", name)) }
            if ["object", "visualitem", "digitalobject"].contains(parts[0]) {
                records.append(("nl/\(parts[1])", name))
            }
        }
        for name in try Fixtures.recordings(of: "rijksmuseum") {
            let parts = name.split(separator: "-").map(String.init)
            if parts[0] == "object" { add(museum, "object/\(parts[1])", records) }
            add(museum, "object/1", [("nl/1", name)] + records)
            add(museum, "object/200108369", [("nl/202108369", name)] + records)
            add(museum, "objects?title=watch", [("/search/", name)] + records)
        }
        return asks
    }

    private struct API: APIReading {
        var answers: [(part: String, name: String)]

        func read(_ call: APICall) async throws(Failure) -> APIAnswer {
            guard let name = answers.first(where: { call.url.contains($0.part) })?.name,
                let text = try? Fixtures.recording(name)
            else { return APIAnswer(status: 404, body: []) }
            let words = name.split { "/-".contains($0) }
            let status = words.count > 2 && words[1] == "error" ? Int(words[2]) : nil
            let body = Array(text.utf8)
            // What is kept of an answer reads as the whole.
            let part = status == nil ? call.keeping?.part(body) : nil
            return APIAnswer(status: status ?? 200, body: part ?? body)
        }
    }

    private static func lines(of ask: Ask) async throws -> [String] {
        let head =
            "\(ask.source.name)/\(ask.what) \(ask.answers.last { !$0.name.isEmpty }?.name ?? "")"
        let api = API(answers: ask.answers)
        do {
            let halves = ask.what.split(separator: "?", maxSplits: 1).map(String.init)
            let path = halves[0].split(separator: "/").map(String.init)
            guard path.count == 2, ask.source.kinds.contains(path[0]) else {
                let pairs = (halves.count > 1 ? halves[1] : "").split(separator: "&").map { pair in
                    let sides = pair.split(separator: "=").map(String.init)
                    return (sides[0], sides[1])
                }
                let query = try ask.source.query(
                    list: halves[0], parameters: Dictionary(uniqueKeysWithValues: pairs))
                guard let page = try await ask.source.page(query, api: api) else {
                    return ["\(head): the end"]
                }
                let facts =
                    "\(page.items.count) of \(page.total ?? -1) from \(page.firstIndex ?? -1)"
                return ["\(head): \(facts), next \(page.next?.key ?? "none")"]
                    + (try page.items.map(line))
            }
            let item = try ask.source.item(kind: path[0], id: path[1])
            return [head, try line(try await ask.source.completeDetails(of: item, api: api))]
        } catch let error as Failure {
            return ["\(head): \(error.kind) \(error.reason)"]
        }
    }

    /// An item, its title, the labels as a level of 320 pixels tries them, and a digest of all that is kept of it.
    private static func line(_ details: ItemDetails) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let digest = Digest(of: Array(try encoder.encode(details))).description.suffix(12)
        let labels = details.labels(for: LevelBoxes.all[2])
        return "  \(details.entry.item) \(digest) \(details.entry.title): \(labels)"
    }

    @Test func `every recorded answer is read as it was`() async throws {
        var lines: [String] = []
        for ask in try Self.asks() { lines += try await Self.lines(of: ask) }
        let file = Fixtures.recordings.appendingPathComponent("read.txt")
        if ProcessInfo.processInfo.environment["FREEZE"] != nil {
            try lines.joined(separator: "\n").appending("\n").write(
                to: file, atomically: true, encoding: .utf8)
        }
        let frozen = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n").map(String.init)
        for (line, known) in zip(lines, frozen) { #expect(line == known) }
        #expect(lines.count == frozen.count)
    }
}
