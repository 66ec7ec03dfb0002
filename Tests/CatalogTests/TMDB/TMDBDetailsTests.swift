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

    /// The languages and numbers of a movie's pictures, the one that is taken, and the wanted
    /// language. Where that is German the movie names a backdrop.
    @Test(
        arguments: [
            // The wanted language goes before no language, and that before English.
            ("uk:1 en:2 null:3", "2", "en-US"), ("uk:1 null:3 null:4", "3", "en-US"),
            ("uk:1 zh:2", "1", "en-US"), ("", nil, "en-US"),
            ("en:0 null:1 de:2", "2", "de-DE"), ("en:0 null:1 fr:2", "1", "de-DE"),
            ("fr:0 en:1", "1", "de-DE"),
        ] as [(String, String?, String)])
    func `where the movie names no poster one is chosen by language`(
        images: String, expected: String?, language: String
    ) async throws {
        let list = images.split(separator: " ").map { text in
            let parts = text.split(separator: ":").map(String.init)
            return TMDBDocument.image(
                "/\(parts[1]).jpg", language: parts[0] == "null" ? nil : parts[0])
        }
        let source = TMDB(credentials: TMDBCredentials(TMDBScript.token), language: language)
        let backdrop = language == "de-DE" ? "/b.jpg" : nil
        let details = try await source.details(
            of: source.item(kind: "movie", id: "7"),
            api: ScriptedAPI.tmdb([
                "/movie/7?language=\(language)": TMDBMovie(id: 7, backdrop: backdrop).details()
                    .text,
                "/movie/7/images": TMDBDocument.images(
                    of: 7, posters: list, backdrops: [.null] + list
                ).text,
            ]))
        #expect(details.isResolved)
        guard let expected else {
            #expect(details.chain.isEmpty)
            return
        }
        #expect(
            details.firstURL(for: LevelBoxes.all[2]) == "\(Self.base)w342/\(expected).jpg")
        #expect(
            details.chain.last?.candidate?.url
                == "\(Self.base)original\(backdrop ?? "/\(expected).jpg")")
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

    /// The body of the movie's 404, and the status of its pictures.
    @Test(arguments: [
        (#"{"status_code":34,"success":false}"#, 404, true), (#"{"status_code":6}"#, 404, true),
        ("", 404, true), ("", 503, true),
        // These tell of the service and not of the movie.
        (#"{"status_code":9}"#, 404, false), (#"{"status_code":46}"#, 404, false),
    ])
    func `an unknown movie is absent, whatever is wrong with its pictures`(
        body: String, pictures: Int, isAbsent: Bool
    ) async {
        let body = Array(body.utf8)
        let api = ScriptedAPI([
            "https://api.themoviedb.org/3\(path)": APIAnswer(status: 404, body: body),
            "https://api.themoviedb.org/3/movie/7/images": APIAnswer(status: pictures, body: body),
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
}
