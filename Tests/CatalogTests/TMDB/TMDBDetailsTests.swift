import Catalog
import JSON
import PlayedAPIs
import Testing

/// Answers here are made up but for their form.
@Suite(.timeLimit(.minutes(1))) struct TMDBDetailsTests {
    let source = TMDB.scripted
    let path = "/movie/7?language=en-US"
    static let base = "https://image.tmdb.org/t/p/"

    private func details(
        _ json: String, images: String? = nil, configuration: String = TMDBScript.configuration
    ) async throws -> ItemDetails {
        var answers = [path: json]
        if let images { answers["/movie/7/images"] = images }
        return try await source.details(
            of: source.item(kind: "movie", id: "7"),
            api: ScriptedAPI.tmdb(answers, configuration: configuration))
    }

    @Test func `a movie tells what a person wants to know`() async throws {
        let entry = try await details(
            """
            {"id":7,"title":" Saltwind ","original_title":"Salzwind","release_date":"1972-03-14",
             "overview":"A town & a wind. ","poster_path":"/p.jpg","runtime":null,
             "genres":[{"id":18,"name":"Drama"},null,{"id":3},{"id":80,"name":" "}],
             "popularity":"12.5"}
            """
        ).entry
        var expected = CatalogEntry(
            item: Item(source: "tmdb", kind: "movie", id: "7"), title: "Saltwind")
        expected.subtitle = "1972"
        expected.date = "1972-03-14"
        expected.genres = ["Drama"]
        expected.summary = "A town & a wind."
        expected.link = "https://www.themoviedb.org/movie/7"
        #expect(entry == expected)
    }

    static let posters = [
        "w92 w154 w185 w342 w500 w780 original", "w185 w342 w500 w780 original w154 w92",
        "w342 w500 w780 original w185 w154 w92", "w780 original w500 w342 w185 w154 w92",
        "original w780 w500 w342 w185 w154 w92",
    ]
    static let backdrops = [
        "w300 w780 w1280 original", "w300 w780 w1280 original", "w780 w1280 original w300",
        "w780 w1280 original w300", "w1280 original w780 w300",
    ]

    @Test func `a level takes the smallest size that covers it, then the backdrop`() async throws {
        let details = try await details(
            TMDBMovie(id: 7, poster: "/p.jpg", backdrop: "/b.jpg").details().text)
        for (index, box) in LevelBoxes.all.enumerated() {
            let expected =
                Self.posters[index].split(separator: " ").map { "poster \($0)" }
                + Self.backdrops[index].split(separator: " ").map { "backdrop \($0)" }
            #expect(details.labels(for: box) == expected.joined(separator: " → "))
        }
        #expect(details.firstURL(for: LevelBoxes.all[2]) == "\(Self.base)w342/p.jpg")
        #expect(
            details.chain.compactMap(\.candidate).filter { $0.rank == 1 }.map(\.width)
                == [300, 780, 1_280, nil])
    }

    @Test func `sizes come from the configuration, and none is invented`() async throws {
        let details = try await details(
            TMDBMovie(id: 7, poster: "/p.jpg", backdrop: "/b.jpg").details().text,
            configuration: """
                {"images":{"secure_base_url":"http://image.tmdb.org/x/","poster_sizes":
                 ["w100","h632","w0","w","large",null,"w-5","w400"]}}
                """)
        #expect(
            details.chain.compactMap(\.candidate).map(\.url) == [
                "https://image.tmdb.org/x/w100/p.jpg", "https://image.tmdb.org/x/w400/p.jpg",
            ])
    }

    @Test(arguments: [
        "{}", #"{"images":{"base_url":"http://image.tmdb.org/t/p/","poster_sizes":["w92"]}}"#,
        #"{"images":{"secure_base_url":"https://image.tmdb.org.example.org/t/p/"}}"#,
        #"{"images":{"secure_base_url":"https://image.tmdb.org/t/p"}}"#,
    ])
    func `a configuration without the pictures' address is unavailable`(
        configuration: String
    ) async {
        await #expect(
            throws: Failure.unavailable(
                reason:
                    "TMDB's configuration can't be read: TMDB answered JSON of an unknown shape.",
                timedOut: false,
                retryAfter: nil)
        ) {
            try await details(
                TMDBMovie(id: 7, poster: "/p.jpg").details().text, configuration: configuration)
        }
    }

    @Test(arguments: [
        "p.jpg", "/", "/../p.jpg", "/a/p.jpg", "/p.jpg?x", "/p q.jpg", "//e.org/p", "/..",
    ])
    func `a path that leads elsewhere is not a picture`(path: String) async throws {
        let details = try await details(
            TMDBMovie(id: 7, poster: path, backdrop: "/b.jpg").details().text)
        #expect(details.labels(for: LevelBoxes.all[0]).hasPrefix("backdrop w300"))
    }

    @Test(arguments: [
        ("uk:1 en:2 null:3", "2"), ("uk:1 null:3 null:4", "3"), ("uk:1 zh:2", "1"), ("", nil),
    ])
    func `where the movie names no poster one is chosen by language`(
        images: String, expected: String?
    ) async throws {
        let list = images.split(separator: " ").map { text in
            let parts = text.split(separator: ":").map(String.init)
            return TMDBDocument.image(
                "/\(parts[1]).jpg", language: parts[0] == "null" ? nil : parts[0])
        }
        let details = try await details(
            TMDBMovie(id: 7).details().text,
            images: TMDBDocument.images(of: 7, posters: list, backdrops: [.null] + list).text)
        #expect(details.isResolved)
        guard let expected else {
            #expect(details.chain.isEmpty)
            return
        }
        #expect(
            details.firstURL(for: LevelBoxes.all[2]) == "\(Self.base)w342/\(expected).jpg")
        #expect(details.chain.last?.candidate?.url == "\(Self.base)original/\(expected).jpg")
    }

    @Test(arguments: [("en null de", "2"), ("en null fr", "1"), ("fr en", "1")])
    func `the wanted language goes before no language, and that before English`(
        languages: String, expected: String
    ) async throws {
        let german = TMDB(credentials: TMDBCredentials(TMDBScript.token), language: "de-DE")
        let posters = languages.split(separator: " ").enumerated().map { number, language in
            TMDBDocument.image(
                "/\(number).jpg", language: language == "null" ? nil : String(language))
        }
        let api = ScriptedAPI.tmdb([
            "/movie/7?language=de-DE": TMDBMovie(id: 7, backdrop: "/b.jpg").details().text,
            "/movie/7/images": TMDBDocument.images(
                of: 7, posters: posters, backdrops: [TMDBDocument.image("/4.jpg")]
            ).text,
        ])
        let details = try await german.details(
            of: source.item(kind: "movie", id: "7"), api: api)
        #expect(
            details.firstURL(for: LevelBoxes.all[2]) == "\(Self.base)w342/\(expected).jpg")
        #expect(details.chain.last?.candidate?.url == "\(Self.base)original/b.jpg")
    }

    @Test func `a movie with a poster costs no second call`() async throws {
        let api = ScriptedAPI.tmdb([path: TMDBMovie(id: 7, poster: "/p.jpg").details().text])
        _ = try await source.details(of: source.item(kind: "movie", id: "7"), api: api)
        #expect(
            api.asked.map(\.url) == [
                "https://api.themoviedb.org/3\(path)", "https://api.themoviedb.org/3/configuration",
            ])
    }

    @Test func `a movie that only the list of its pictures knows has those`() async throws {
        let details = try await source.details(
            of: source.item(kind: "movie", id: "7"),
            api: ScriptedAPI.tmdb(
                path, status: 404,
                images: TMDBDocument.images(
                    of: 7, posters: [TMDBDocument.image("/p.jpg", language: "en")]
                ).text))
        #expect(details.entry.title == "Movie 7")
        #expect(details.firstURL(for: LevelBoxes.all[2]) == "\(Self.base)w342/p.jpg")
        #expect(details.isResolved)
    }

    @Test(arguments: [
        (#"{"status_code":34,"success":false}"#, true), (#"{"status_code":6}"#, true),
        ("", true), (#"{"status_code":9}"#, false), (#"{"status_code":46}"#, false),
    ])
    func `a 404 that tells of the service and not of the movie is unavailable`(
        body: String, isAbsent: Bool
    ) async {
        let answer = APIAnswer(status: 404, body: Array(body.utf8))
        let api = ScriptedAPI([
            "https://api.themoviedb.org/3\(path)": answer,
            "https://api.themoviedb.org/3/movie/7/images": answer,
        ])
        let expected: Failure =
            isAbsent
            ? .notFound(reason: "TMDB has no movie 7.")
            : .unavailable(
                reason: "TMDB's movie 7 can't be read: api.themoviedb.org answered 404.",
                timedOut: false, retryAfter: nil)
        await #expect(throws: expected) {
            try await source.details(of: source.item(kind: "movie", id: "7"), api: api)
        }
    }

    @Test(arguments: [404, 503])
    func `an unknown movie is absent, whatever is wrong with its pictures`(
        status: Int
    ) async {
        let api = ScriptedAPI([
            "https://api.themoviedb.org/3\(path)": APIAnswer(status: 404, body: []),
            "https://api.themoviedb.org/3/movie/7/images": APIAnswer(status: status, body: []),
        ])
        await #expect(throws: Failure.notFound(reason: "TMDB has no movie 7.")) {
            try await source.details(of: source.item(kind: "movie", id: "7"), api: api)
        }
    }
}
