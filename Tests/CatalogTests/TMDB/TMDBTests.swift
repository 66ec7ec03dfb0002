import Fetch
import JSON
import PlayedAPIs
import Testing

@testable import Catalog

@Suite(.timeLimit(.minutes(1))) struct TMDBTests {
    let source = TMDB.scripted

    @Test(arguments: [
        ("popular", "movies/popular"), ("top-rated", "movies/top-rated"),
        ("movies/popular", "movies/popular"), ("search", "search"),
    ])
    func `the command line's names become lists`(name: String, list: String) throws {
        let listing = try source.listing(named: name, words: [])
        #expect(listing.list == list)
        #expect(listing.parameters.isEmpty)
        #expect(try source.listing(named: name, words: ["a", "b"]).parameters == ["q": "a b"])
        #expect(source.list(list)?.pageParameter == "page")
    }

    private func movie(with credentials: TMDBCredentials?) async throws -> [APICall] {
        let api = ScriptedAPI.tmdb([
            "/movie/7?language=en-US": TMDBMovie(id: 7, poster: "/a.jpg").details().text
        ])
        _ = try await TMDB(credentials: credentials).details(
            of: source.item(kind: "movie", id: "7"), api: api)
        return api.asked
    }

    @Test(
        arguments: [
            (" \(TMDBScript.token)\n", ["Authorization: Bearer \(TMDBScript.token)"], nil),
            (TMDBScript.key, [], "api_key=\(TMDBScript.key)"),
        ] as [(String, [String], String?)])
    func `a read token goes into a header, and a key into the query, apart from the address`(
        credentials: String, fields: [String], query: String?
    ) async throws {
        let calls = try await movie(with: TMDBCredentials(credentials))
        #expect(calls.count == 2)
        for call in calls {
            #expect(call.headers.map { "\($0.name): \($0.value)" } == fields)
            #expect(call.secretQuery == query)
            #expect(call.allowedHosts == [HostPattern("api.themoviedb.org")])
        }
    }

    @Test func `configuration and genres are kept for days, under names without secrets`()
        async throws
    {
        for secret in [TMDBScript.key, TMDBScript.token] {
            let api = ScriptedAPI.tmdb([
                "/movie/popular?language=en-US&page=1": TMDBDocument.page([]).text
            ])
            _ = try await TMDB(credentials: TMDBCredentials(secret)).page(
                source.query(list: "movies/popular", parameters: [:]), api: api)
            #expect(
                api.asked.map { $0.keeping.map { "\($0.key) \(Int($0.timeToLive))" } } == [
                    nil, "https://api.themoviedb.org/3/configuration 259200",
                    "https://api.themoviedb.org/3/genre/movie/list?language=en-US 259200",
                ])
        }
    }

    @Test func `no text made of credentials or calls shows a secret`() async throws {
        for secret in [TMDBScript.key, TMDBScript.token] {
            let credentials = try #require(TMDBCredentials(secret))
            let calls = try await movie(with: credentials)
            let shown: [Any] = [credentials, TMDB(credentials: credentials), calls]
            for value in shown {
                var dumped = ""
                dump(value, to: &dumped)
                for text in ["\(value)", String(reflecting: value), dumped] {
                    #expect(!text.contains(secret), "\(text)")
                }
            }
        }
    }

    @Test(arguments: [nil, "", "  \n", "two words", "ä"])
    func `without credentials one sentence says what to set, and nothing is asked`(
        text: String?
    ) async throws {
        let source = TMDB(credentials: TMDBCredentials(text))
        let api = ScriptedAPI([:])
        let expected = Failure.unconfigured(
            reason: "TMDB needs an API read access token; set VITRINE_TMDB_TOKEN.")
        await #expect(throws: expected) {
            try await source.details(of: source.item(kind: "movie", id: "7"), api: api)
        }
        await #expect(throws: expected) {
            try await source.page(
                source.query(list: "movies/popular", parameters: [:]), api: api)
        }
        #expect(api.asked.isEmpty)
    }

    @Test func `refused credentials say what to check`() async {
        let body = TMDBDocument.problem(7, "Invalid API key").text
        let expected = Failure.unconfigured(
            reason: "TMDB rejected the credentials. Check VITRINE_TMDB_TOKEN.")
        await #expect(throws: expected) {
            try await source.details(
                of: source.item(kind: "movie", id: "7"),
                api: ScriptedAPI.tmdb("/movie/7?language=en-US", status: 401, body: body))
        }
        await #expect(throws: expected) {
            try await source.page(
                source.query(list: "movies/popular", parameters: [:]),
                api: ScriptedAPI.tmdb(
                    "/movie/popular?language=en-US&page=1", status: 401, body: body))
        }
    }
}

/// Answers here are made up but for their form.
@Suite(.timeLimit(.minutes(1))) struct TMDBPageTests {
    let source = TMDB.scripted

    private func page(
        _ number: Int, _ json: String, genres: String = TMDBScript.genres
    ) async throws -> CatalogPage? {
        try await source.page(
            source.query(list: "movies/popular", parameters: ["page": "\(number)"]),
            api: ScriptedAPI.tmdb(
                ["/movie/popular?language=en-US&page=\(number)": json], genres: genres))
    }

    @Test func `a page of a list is read, each movie once`() async throws {
        let page = try #require(
            try await page(
                3,
                """
                {"page":3,"total_pages":40563,"total_results":811245,"results":[
                 {"id":9,"title":"Nine","genre_ids":[80,28,18,null],"poster_path":"/p.jpg",
                  "release_date":"2023-07-08"},null,{"title":"no id"},
                 {"id":9,"title":"Nine again"},{"id":5,"media_type":"person","name":"x"},
                 {"id":8,"media_type":"movie","title":null,"genre_ids":null,"poster_path":null,"release_date":"",
                  "backdrop_path":"/b.jpg"}]}
                """))
        #expect(page.items.map(\.entry.title) == ["Nine", "Movie 8"])
        #expect(page.items.first?.entry.genres == ["Crime", "Drama"])
        #expect(page.items.first?.entry.subtitle == "2023")
        #expect(page.items.last?.entry.date == nil)
        #expect(page.items.last?.entry.subtitle == nil)
        #expect(
            page.next
                == ListQuery(source: "tmdb", list: "movies/popular", parameters: ["page": "4"]))
        #expect(page.total == 811_245)
        #expect(page.firstIndex == 40)
    }

    @Test func `a movie without a poster is asked about when its picture is wanted`() async throws {
        let page = try await page(
            1,
            TMDBDocument.page([
                TMDBMovie(id: 1, poster: "/p.jpg").listed(),
                TMDBMovie(id: 2, backdrop: "/b.jpg").listed(),
                TMDBMovie(id: 3, poster: "/../p").listed(),
            ]).text)
        #expect(page?.items.map(\.isResolved) == [true, false, false])
    }

    @Test(arguments: [
        (1, "40563", "2"), (499, "40563", "500"), (500, "40563", nil), (446, "447", "447"),
        (447, "447", nil), (1, "0", nil), (1, "null", nil), (1, "1", nil),
    ])
    func `pages go to the last one, and never past 500`(
        number: Int, total: String, next: String?
    ) async throws {
        let page = try #require(
            try await page(number, #"{"results":[],"total_pages":\#(total)}"#))
        #expect(page.next?.parameters["page"] == next)
        #expect(page.items.isEmpty)
    }

    @Test func `a page past the last one ends the list`() async throws {
        #expect(try await page(8, TMDBDocument.page([], pages: 7).text) == nil)
        let query = try source.query(list: "movies/popular", parameters: ["page": "400"])
        let path = "/movie/popular?language=en-US&page=400"
        let invalid = ScriptedAPI.tmdb(
            path, status: 400, body: TMDBDocument.problem(22, "Invalid page").text)
        #expect(try await source.page(query, api: invalid) == nil)
    }

    @Test(arguments: [
        ("movies/top-rated", [:], "/movie/top_rated?language=en-US&page=1"),
        (
            "search", ["q": "où & 1+1", "page": "2"],
            "/search/movie?query=o%C3%B9%20%26%201%2B1&language=en-US&page=2"
        ),
    ])
    func `each list has its path`(
        list: String, given: [String: String], path: String
    ) async throws {
        let query = try source.query(list: list, parameters: given)
        let api = ScriptedAPI.tmdb([path: TMDBDocument.page([], pages: 9).text])
        let page = try #require(try await source.page(query, api: api))
        #expect(api.asked.first?.url == "https://api.themoviedb.org/3\(path)")
        #expect(page.next?.list == list)
        #expect(page.next?.parameters["q"] == given["q"])
    }

    @Test func `a list without genre names still has its movies`() async throws {
        let json = TMDBDocument.page([TMDBMovie(id: 1, poster: "/p.jpg").listed(genres: [18])]).text
        let page = try await page(1, json, genres: "<html>")
        #expect(page?.items.map(\.entry.genres) == [[]])
        #expect(page?.items.map(\.chain.count) == [7])
    }

    @Test(arguments: [
        (400, #"{"status_code":5}"#, "api.themoviedb.org answered 400."),
        (404, #"{"status_code":34}"#, "api.themoviedb.org answered 404."),
        (403, "", "api.themoviedb.org answered 403."),
    ])
    func `a refused page is unavailable, and not the end`(
        status: Int, body: String, sentence: String
    ) async {
        await #expect(
            throws: Failure.unavailable(reason: sentence, timedOut: false, retryAfter: nil)
        ) {
            try await source.page(
                source.query(list: "movies/popular", parameters: [:]),
                api: ScriptedAPI.tmdb(
                    "/movie/popular?language=en-US&page=1", status: status, body: body))
        }
    }
}
