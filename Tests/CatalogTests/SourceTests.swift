import Fetch
import Testing

@testable import Catalog

/// What the built-in sources make of ids, kinds, lists and queries, before they ask an API.
@Suite(.timeLimit(.minutes(1))) struct SourceTests {
    private static let sources: [any Source] = [
        TVMaze(), ITunes(), Spotify(credentials: nil), TMDB.scripted, Rijksmuseum(),
    ]

    private func source(_ name: String) throws -> any Source {
        try #require(Self.sources.first { $0.name == name })
    }

    @Test(arguments: [
        ("tvmaze", "poster", "1", "1"), ("tvmaze", "show", "007", "7"),
        ("tvmaze", "show", "9999999999", "9999999999"), ("tvmaze", "show", "00010", "10"),
        ("itunes", "album", "999999999999999", "999999999999999"),
        ("tmdb", "movie", "00238", "238"),
        ("rijksmuseum", "object", "012345678901234567890", "12345678901234567890"),
        ("spotify", "album", "7Ln80lUS6He07XvHI8qqHH", "7Ln80lUS6He07XvHI8qqHH"),
    ])
    func `a numeric id loses its leading zeros, and others stay as they are`(
        name: String, kind: String, given: String, canonical: String
    ) throws {
        let item = try source(name).item(kind: kind, id: given)
        #expect(item.description == "\(name)/\(kind)/\(canonical)")
    }

    private typealias WrongID = (name: String, kind: String, id: String, sentence: String)

    private static func wrong(
        _ name: String, _ kind: String, _ ids: [String], _ begin: String
    ) -> [WrongID] {
        ids.map { id in
            let shown = id.count > 40 ? id.prefix(39) + "…" : id[...]
            return (name, kind, id, "\(begin), not “\(shown)”.")
        }
    }

    private static let wrongIDs =
        wrong(
            "tvmaze", "show",
            ["", "0", "000", "-1", "+1", "1.5", "abc", "1 ", "12345678901", "١"],
            "A TVmaze id is a positive number of at most 10 digits")
        + wrong(
            "itunes", "album", ["1e3", "1234567890123456"],
            "An iTunes id is a positive number of at most 15 digits")
        + wrong(
            "tmdb", "movie", ["tt123"], "A TMDB id is a positive number of at most 10 digits")
        + wrong(
            "rijksmuseum", "object",
            ["SK-C-5", "1/2", "123456789012345678901", "https://id.rijksmuseum.nl/1"],
            "A Rijksmuseum id is a positive number of at most 20 digits")
        + wrong(
            "spotify", "artist",
            ["", "a b", "a/b", "..", "a-b", "ä", "٣", String(repeating: "a", count: 65)],
            "A Spotify id consists of letters and digits, such as 7Ln80lUS6He07XvHI8qqHH")

    @Test(arguments: wrongIDs)
    func `an id of another form is refused`(
        name: String, kind: String, id: String, sentence: String
    ) throws {
        let source = try source(name)
        #expect(throws: Failure.invalid(reason: sentence)) { try source.item(kind: kind, id: id) }
        guard name == "spotify", !id.contains("/") else { return }
        #expect(throws: Failure.invalid(reason: sentence)) {
            try source.query(list: "artists/\(id)/albums", parameters: [:])
        }
    }

    @Test(arguments: [
        ("tvmaze", "episode", "TVmaze has no kind “episode”; it has “show” and “poster”."),
        ("itunes", "song", "iTunes has no kind “song”; it has “album”."),
        ("spotify", "track", "Spotify has no kind “track”; it has “artist” and “album”."),
        ("tmdb", "tv", "TMDB has no kind “tv”; it has “movie”."),
        ("rijksmuseum", "show", "Rijksmuseum has no kind “show”; it has “object”."),
    ])
    func `an unknown kind is absent`(name: String, kind: String, sentence: String) throws {
        let source = try source(name)
        #expect(throws: Failure.notFound(reason: sentence)) { try source.item(kind: kind, id: "1") }
    }

    private static let spotifyLists = "it has “artists” and “artists/{id}/albums”."
    private static let unknownLists = [
        ("tvmaze", "schedule", "it has “shows” and “search”."),
        ("itunes", "songs", "it has “albums”."),
        ("tmdb", "movies/populr", "did you mean “movies/popular”?"),
        ("tmdb", "popular", "it has “movies/popular”, “movies/top-rated” and “search”."),
        ("rijksmuseum", "search", "it has “objects”."),
        ("spotify", "albums", spotifyLists), ("spotify", "artists/abc", spotifyLists),
        ("spotify", "artists/abc/albums/1", spotifyLists), ("spotify", "", spotifyLists),
    ]

    @Test(arguments: unknownLists)
    func `an unknown list is absent`(name: String, list: String, end: String) throws {
        let source = try source(name)
        let sentence = "\(source.title) has no list “\(list)”; \(end)"
        #expect(throws: Failure.notFound(reason: sentence)) {
            try source.query(list: list, parameters: [:])
        }
    }

    @Test(
        arguments: [
            ("tvmaze", "shows", [:], ["page": "0"]),
            ("tvmaze", "shows", ["page": "007"], ["page": "7"]),
            ("tvmaze", "shows", ["page": ""], ["page": "0"]),
            ("tvmaze", "shows", ["page": "100000"], ["page": "100000"]),
            ("tvmaze", "search", ["q": "  the   dome "], ["q": "the   dome"]),
            ("tvmaze", "search", ["q": "été"], ["q": "été"]),
            ("spotify", "artists", ["q": " arctic "], ["q": "arctic", "offset": "0"]),
            (
                "spotify", "artists", ["q": "arctic", "offset": "010"],
                ["q": "arctic", "offset": "10"]
            ),
            ("spotify", "artists/abc/albums", ["offset": "990"], ["offset": "990"]),
            ("tmdb", "movies/popular", [:], ["page": "1"]),
            ("tmdb", "movies/top-rated", ["page": "0500"], ["page": "500"]),
            ("tmdb", "search", ["q": " the  nun "], ["q": "the  nun", "page": "1"]),
        ] as [(String, String, [String: String], [String: String])])
    func `a query is checked and completed`(
        name: String, list: String, given: [String: String], expected: [String: String]
    ) throws {
        let query = try source(name).query(list: list, parameters: given)
        #expect(query == ListQuery(source: name, list: list, parameters: expected))
    }

    private static let page = "“page” must be a whole number from"
    private static let filters = "“title”, “from”, “to” and “genre”."
    private static let wrongQueries: [(String, String, [String: String], String)] = [
        ("tvmaze", "shows", ["page": "-1"], "\(page) 0 to 100000, not “-1”."),
        ("tvmaze", "shows", ["page": "100001"], "\(page) 0 to 100000, not “100001”."),
        ("tvmaze", "shows", ["page": "x"], "\(page) 0 to 100000, not “x”."),
        (
            "tvmaze", "shows", ["pages": "1"],
            "TVmaze's list “shows” has no parameter “pages”; it knows “page”, \(filters)"
        ),
        ("tvmaze", "search", [:], "TVmaze's list “search” needs words to search for: q=…."),
        ("tvmaze", "search", ["q": "  "], "TVmaze's list “search” needs words to search for: q=…."),
        ("tvmaze", "search", ["q": " ab "], "A search term needs at least 3 characters."),
        (
            "tvmaze", "search", ["q": String(repeating: "x", count: 201)],
            "A search term may have at most 200 characters."
        ),
        (
            "tvmaze", "search", ["q": "dome", "page": "1"],
            "TVmaze's list “search” has no parameter “page”; it knows “q”, \(filters)"
        ),
        ("itunes", "albums", [:], "iTunes's list “albums” needs words to search for: term=…."),
        ("itunes", "albums", ["term": " da "], "A search term needs at least 3 characters."),
        (
            "itunes", "albums", ["term": "daft", "page": "1"],
            "iTunes's list “albums” has no parameter “page”; it knows “term”, \(filters)"
        ),
        ("spotify", "artists", [:], "Spotify's list “artists” needs words to search for: q=…."),
        ("spotify", "artists", ["q": "ab"], "A search term needs at least 3 characters."),
        (
            "spotify", "artists/abc/albums", ["offset": "991"],
            "“offset” must be a whole number from 0 to 990, not “991”."
        ),
        (
            "spotify", "artists/abc/albums", ["q": "abc"],
            "Spotify's list “artists/abc/albums” has no parameter “q”; it knows “offset”, \(filters)"
        ),
        ("tmdb", "movies/popular", ["page": "0"], "\(page) 1 to 500, not “0”."),
        ("tmdb", "movies/popular", ["page": "501"], "\(page) 1 to 500, not “501”."),
        (
            "tmdb", "movies/top-rated", ["q": "nun"],
            "TMDB's list “movies/top-rated” has no parameter “q”; it knows “page”, \(filters)"
        ),
        ("tmdb", "search", [:], "TMDB's list “search” needs words to search for: q=…."),
        ("tmdb", "search", ["q": "it"], "A search term needs at least 3 characters."),
        ("rijksmuseum", "objects", ["title": "ab"], "“title” needs at least 3 characters."),
        ("rijksmuseum", "objects", ["creator": " x "], "“creator” needs at least 3 characters."),
        (
            "rijksmuseum", "objects", ["type": String(repeating: "x", count: 201)],
            "“type” may have at most 200 characters."
        ),
        (
            "rijksmuseum", "objects", ["pageToken": String(repeating: "x", count: 4_097)],
            "“pageToken” may have at most 4096 bytes."
        ),
        (
            "rijksmuseum", "objects", ["page": "1"],
            "Rijksmuseum's list “objects” has no parameter “page”; it knows “title”, "
                + "“creator”, “objectNumber”, “creationDate”, “type”, “technique”, “material”, "
                + "“pageToken”, “part”, “from”, “to” and “genre”."
        ),
    ]

    @Test(arguments: wrongQueries)
    func `a query that can't be meant is refused with a sentence`(
        name: String, list: String, given: [String: String], sentence: String
    ) throws {
        let source = try source(name)
        #expect(throws: Failure.invalid(reason: sentence)) {
            try source.query(list: list, parameters: given)
        }
    }

    /// Hosts, how many requests are under way at once, and how many start per time.
    private static let profiles: [(String, [String], [Int], [HostPolicy.Rate?])] = [
        (
            "tvmaze", ["api.tvmaze.com", "static.tvmaze.com"], [4, 16],
            [.init(count: 20, per: .seconds(10)), nil]
        ),
        (
            "itunes", ["itunes.apple.com", "*.mzstatic.com"], [1],
            [.init(count: 1, per: .seconds(3))]
        ),
        (
            "spotify", ["api.spotify.com", "accounts.spotify.com", "i.scdn.co"], [],
            [.init(count: 60, per: .seconds(30))]
        ),
        (
            "tmdb", ["api.themoviedb.org", "image.tmdb.org"], [],
            [.init(count: 20, per: .seconds(1))]
        ),
        (
            "rijksmuseum", ["data.rijksmuseum.nl", "id.rijksmuseum.nl", "iiif.micr.io"], [4, 4, 4],
            [.init(count: 10, per: .seconds(1)), .init(count: 10, per: .seconds(1)), nil]
        ),
    ]

    @Test(arguments: profiles)
    func `each host is asked no faster than its profile allows`(
        name: String, hosts: [String], concurrent: [Int], rates: [HostPolicy.Rate?]
    ) throws {
        let policies = try source(name).hostPolicies
        #expect(policies.map(\.pattern.description) == hosts)
        #expect(policies.map(\.policy.maxConcurrent).starts(with: concurrent))
        #expect(policies.map(\.policy.rate).starts(with: rates))
    }
}
