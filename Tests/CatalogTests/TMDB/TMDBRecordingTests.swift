import Catalog
import TestSupport
import Testing

/// Recorded answers of the real API, trimmed to a few entries of each list.
@Suite(.timeLimit(.minutes(1))) struct TMDBRecordingTests {
    let source = TMDB.scripted

    private func recording(_ name: String) throws -> String {
        try Recordings.text("tmdb/\(name)")
    }

    private func page(
        _ list: String, _ parameters: [String: String], _ path: String, _ name: String
    ) async throws -> CatalogPage {
        let api = ScriptedAPI.tmdb(
            [path: try recording(name)], configuration: try recording("configuration"),
            genres: try recording("genre-movie-list"))
        return try #require(
            try await source.page(
                source.query(list: list, parameters: parameters), api: api))
    }

    @Test func `every popular movie is read`() async throws {
        let page = try await page(
            "movies/popular", [:], "/movie/popular?language=en-US&page=1", "movie-popular-page-1")
        #expect(page.items.count == 20)
        #expect(page.total == 811_245)
        #expect(page.next?.parameters == ["page": "2"])
        for movie in page.items {
            #expect(movie.isResolved && movie.chain.count == 11)
            #expect(movie.entry.date != nil && movie.entry.summary != nil)
            #expect(movie.entry.genres.count >= 2)
            for (box, size) in zip(LevelBoxes.all, ["w92", "w185", "w342", "w780", "original"]) {
                #expect(movie.labels(for: box).hasPrefix("poster \(size) → "))
            }
        }
        let first = try #require(page.items.first)
        #expect(first.entry.genres == ["Action", "Thriller"])
        #expect(
            first.firstURL(for: LevelBoxes.all[2])
                == "https://image.tmdb.org/t/p/w342/NNxYkU70HPurnNCSiCjYAmacwm.jpg")
    }

    @Test func `every top rated movie is read`() async throws {
        let page = try await page(
            "movies/top-rated", [:], "/movie/top_rated?language=en-US&page=1",
            "movie-top-rated-page-1")
        #expect(page.items.count == 20)
        #expect(page.items.first?.entry.title == "The Godfather")
        #expect(page.items.first?.entry.subtitle == "1972")
        #expect(page.total == 8_931)
    }

    /// The recording is one of a search over everything.
    @Test func `of a search only movies are kept, with or without a poster`() async throws {
        let page = try await page(
            "search", ["q": "bradley"], "/search/movie?query=bradley&language=en-US&page=1",
            "search-multi-bradley-null-posters")
        #expect(
            page.items.map(\.entry.item.id) == [
                "264534", "98069", "392316", "116103", "179821", "476104", "174121",
            ])
        #expect(page.items.map(\.chain.count) == [0, 0, 0, 0, 0, 11, 7])
        #expect(page.items.map(\.isResolved) == [false, false, false, false, false, true, true])
    }

    @Test func `among posters in many languages the best in English is chosen`() async throws {
        let api = ScriptedAPI.tmdb(
            [
                "/movie/575264?language=en-US": #"{"id":575264,"poster_path":null}"#,
                "/movie/575264/images": try recording("movie-575264-images"),
            ], configuration: try recording("configuration"))
        let details = try await source.details(
            of: source.item(kind: "movie", id: "575264"), api: api)
        #expect(
            details.firstURL(for: LevelBoxes.all[0])
                == "https://image.tmdb.org/t/p/w92/NNxYkU70HPurnNCSiCjYAmacwm.jpg")
        #expect(details.chain.count == 11)
    }

    @Test func `recorded refusals are understood`() async throws {
        let query = try source.query(list: "movies/popular", parameters: ["page": "500"])
        let path = "/movie/popular?language=en-US&page=500"
        let end = ScriptedAPI.tmdb(
            path, status: 400, body: try recording("error-400-page-over-500"))
        #expect(try await source.page(query, api: end) == nil)
        let item = try source.item(kind: "movie", id: "7")
        let unknown = ScriptedAPI.tmdb(
            "/movie/7?language=en-US", status: 404, body: try recording("error-404-not-found"))
        await #expect(throws: Failure.notFound(reason: "TMDB has no movie 7.")) {
            try await source.details(of: item, api: unknown)
        }
        let refused = ScriptedAPI.tmdb(
            "/movie/7?language=en-US", status: 401, body: try recording("error-401-invalid-key"))
        await #expect {
            try await source.details(of: item, api: refused)
        } throws: { error in
            (error as? Failure)?.kind == .unconfigured
        }
    }
}
