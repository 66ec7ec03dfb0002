import Catalog
import Fetch
import JSON
import PlayedAPIs
import Testing

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

    @Test func `a read token goes into a header`() async throws {
        let calls = try await movie(with: TMDBCredentials(" \(TMDBScript.token)\n"))
        #expect(calls.count == 2)
        for call in calls {
            #expect(
                call.headers.map { "\($0.name): \($0.value)" }
                    == ["Authorization: Bearer \(TMDBScript.token)"])
            #expect(call.secretQuery == nil)
            #expect(call.allowedHosts == [HostPattern("api.themoviedb.org")])
        }
    }

    @Test func `a key goes into the query, apart from the address`() async throws {
        let calls = try await movie(with: TMDBCredentials(TMDBScript.key))
        #expect(calls.count == 2)
        for call in calls {
            #expect(call.headers.isEmpty)
            #expect(call.secretQuery == "api_key=\(TMDBScript.key)")
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
