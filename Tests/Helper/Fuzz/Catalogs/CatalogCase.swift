import Catalog
import JSON
import TestSupport

/// A source, what it is asked, and the recorded answers.
struct CatalogCase {
    enum Question {
        case item(kind: String, id: String)
        case list(String, [String: String])
    }

    let source: any Source
    let questions: [Question]
    /// See ``PlayedAnswers``.
    let documents: [(part: String, trees: [JSON])]

    static func all() throws -> [CatalogCase] {
        [try tvmaze(), try rijksmuseum(), try itunes(), try spotify(), try tmdb()]
    }

    private static func trees(_ source: String, _ prefixes: String...) throws -> [JSON] {
        try Fixtures.recordings(of: source).filter { name in
            prefixes.contains { name.hasPrefix($0) }
        }.map { try JSON(parsing: Array(Fixtures.recording("\(source)/\($0)").utf8)).shortened }
    }

    private static func tvmaze() throws -> CatalogCase {
        let shows = try trees("tvmaze", "shows-page")
        let error = try trees("tvmaze", "error")
        return CatalogCase(
            source: TVMaze(),
            questions: [
                .item(kind: "show", id: "1"), .item(kind: "poster", id: "183"),
                .list("shows", ["page": "0"]), .list("shows", ["page": "100000"]),
                .list("search", ["q": "snow"]),
            ],
            documents: [
                ("/images", try trees("tvmaze", "show-183")), ("/shows?page", shows + error),
                ("/search/", try trees("tvmaze", "search")),
                ("/shows/", shows.compactMap(\.first) + error),
            ])
    }

    private static func rijksmuseum() throws -> CatalogCase {
        let records = try trees("rijksmuseum", "object", "visualitem", "digitalobject", "error")
        return CatalogCase(
            source: Rijksmuseum(),
            questions: ["200108369", "200656394", "200107942", "200556187"].map {
                .item(kind: "object", id: $0)
            } + [.list("objects", ["title": "watch"]), .list("objects", ["pageToken": "x"])],
            documents: [
                ("/info.json", try trees("rijksmuseum", "iiif")),
                ("/search/", try trees("rijksmuseum", "search", "error")),
                ("/200", try trees("rijksmuseum", "object")),
                ("/202", try trees("rijksmuseum", "visualitem")),
                ("/500", try trees("rijksmuseum", "digitalobject")), ("", records),
            ])
    }

    private static func itunes() throws -> CatalogCase {
        CatalogCase(
            source: ITunes(),
            questions: [
                .item(kind: "album", id: "1441164816"), .list("albums", ["term": "daft punk"]),
            ],
            documents: [
                ("/lookup", try trees("itunes", "lookup")),
                ("/search", try trees("itunes", "search")),
            ])
    }

    private static func spotify() throws -> CatalogCase {
        let albums = try trees("spotify", "artist-albums")
        let id = "7Ln80lUS6He07XvHI8qqHH"
        return CatalogCase(
            source: Spotify(credentials: SpotifyCredentials(clientID: "a", clientSecret: "b")),
            questions: [
                .item(kind: "artist", id: id), .item(kind: "album", id: id),
                .list("artists", ["q": "arctic"]), .list("artists/\(id)/albums", ["offset": "10"]),
            ],
            documents: [
                ("/api/token", try trees("spotify", "token", "error")),
                ("/search", try trees("spotify", "search")),
                ("/albums?", albums), ("/albums/", albums.compactMap { $0["items"].first }),
                ("/artists/", try trees("spotify", "artist-7", "error")),
            ])
    }

    private static func tmdb() throws -> CatalogCase {
        let lists = try trees("tmdb", "movie-popular", "movie-top", "search")
        let error = try trees("tmdb", "error")
        return CatalogCase(
            source: TMDB(credentials: TMDBCredentials("0123456789abcdef0123456789abcdef")),
            questions: [
                .item(kind: "movie", id: "575264"), .list("movies/popular", ["page": "1"]),
                .list("movies/top-rated", ["page": "500"]), .list("search", ["q": "bradley"]),
            ],
            documents: [
                ("/configuration", try trees("tmdb", "configuration")),
                ("/genre/", try trees("tmdb", "genre")),
                ("/images", try trees("tmdb", "movie-575")),
                ("/popular", lists + error), ("/top_rated", lists), ("/search/", lists),
                ("/movie/", lists.compactMap { $0["results"].first } + error),
            ])
    }
}

extension JSON {
    /// The document with at most four entries of each list: more of the same find nothing more.
    fileprivate var shortened: JSON {
        switch self {
        case .list(let values): .list(values.prefix(4).map(\.shortened))
        case .object(let members): .object(members.map { .init($0.name, $0.value.shortened) })
        case .null, .flag, .number, .text: self
        }
    }

    /// The first entry; nil if this is not a list, or is empty.
    fileprivate var first: JSON? {
        guard case .list(let values) = self else { return nil }
        return values.first
    }
}
