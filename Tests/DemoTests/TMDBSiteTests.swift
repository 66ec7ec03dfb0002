import Catalog
import PlayedAPIs
import Testing

@testable import Demo

/// TMDB is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct TMDBSiteTests {
    static let films = FilmCatalog(seed: 2_013)
    let site = TMDBAPISite(
        catalog: films, shows: ShowCatalogTests.catalog, token: "demo-token")
    let images = TMDBImageSite(
        catalog: films, artist: Artist(seed: 2_013),
        pictures: .forTests())
    let source = TMDB(credentials: TMDBCredentials("demo-token"))

    private var films: FilmCatalog { Self.films }
    private var api: PlayedAPI { PlayedAPI(sites: [site]) }

    private func get(_ path: String) -> DemoAnswer {
        var request = DemoRequest(url: "https://api.themoviedb.org/3\(path)")
        request.authorization = "Bearer demo-token"
        return site.answer(request)
    }

    private func film(_ quirk: TMDBQuirk?) throws -> DemoFilm {
        try #require((0..<100).map(films.film).first { $0.quirk == quirk })
    }

    private func page(_ list: String, _ parameters: [String: String]) async throws -> CatalogPage? {
        try await source.page(source.query(list: list, parameters: parameters), api: api)
    }

    @Test func `equal seeds give equal films, and other seeds others`() {
        #expect(FilmCatalog(seed: 2_013).popular(page: 3) == films.popular(page: 3))
        #expect(FilmCatalog(seed: 2_014).popular(page: 3) != films.popular(page: 3))
        #expect(Set((0..<FilmPerson.count).map { FilmPerson(number: $0).name }).count == 40)
    }

    @Test(
        arguments: [
            ("Bearer demo-token", "", 200), (nil, "?api_key=demo-token", 200),
            ("Bearer wrong", "", 401), (nil, "", 401), (nil, "?api_key=", 401),
        ] as [(String?, String, Int)])
    func `a key is demanded`(authorization: String?, query: String, status: Int) {
        var request = DemoRequest(url: "https://api.themoviedb.org/3/configuration\(query)")
        request.authorization = authorization
        let answer = site.answer(request)
        #expect(answer.status == status)
        if status == 401 {
            #expect(
                answer.text == """
                    {"status_code":7,"status_message":"Invalid API key: You must be granted a valid \
                    key.","success":false}
                    """)
        }
    }

    @Test func `popular films are read page by page, one of them twice`() async throws {
        let first = try #require(try await page("movies/popular", ["page": "1"]))
        let second = try #require(try await page("movies/popular", ["page": "2"]))
        #expect(first.items.count == 20 && second.items.count == 20)
        #expect(first.items.last?.entry.item == second.items.first?.entry.item)
        #expect(Set((first.items + second.items).map(\.entry.item)).count == 39)
        let third = try #require(try await page("movies/popular", ["page": "3"]))
        #expect(third.items.first?.entry.item != second.items.last?.entry.item)
        #expect(first.items.allSatisfy { !$0.entry.genres.isEmpty && $0.entry.summary != nil })
    }

    @Test func `the number of pages lies: none after 500 is given`() async throws {
        #expect(get("/movie/popular?page=500").text.contains(#""total_pages":40563,"#))
        #expect(try #require(try await page("movies/popular", ["page": "500"])).next == nil)
        for wrong in ["501", "0", "-1", "x"] {
            let answer = get("/movie/popular?page=\(wrong)")
            #expect(answer.status == 400)
            #expect(answer.text.hasPrefix(#"{"status_code":22,"status_message":"Invalid page: "#))
        }
    }

    @Test func `the best films come best first, to a true end`() async throws {
        let first = try #require(try await page("movies/top-rated", ["page": "1"]))
        #expect(first.total == 1_000)
        let votes = films.topRated(page: 1).map(\.vote) + films.topRated(page: 2).map(\.vote)
        #expect(votes == votes.sorted(by: >))
        #expect(try #require(try await page("movies/top-rated", ["page": "50"])).next == nil)
        #expect(films.topRated(page: 51).isEmpty)
    }

    @Test func `a search gives films by their titles; without a match nothing`() async throws {
        let title = films.film(7).title
        let found = try #require(try await page("search", ["q": title]))
        #expect(found.items.contains { $0.entry.title == title })
        #expect(try #require(try await page("search", ["q": "zzzz"])).items.isEmpty)
        #expect(get("/search/movie").status == 200)
    }

    @Test func `a search for everything mixes people, films and shows, which have no posters`() {
        let person = FilmPerson(number: 3)
        let word = person.name.prefix { $0 != " " }
        let text = get("/search/multi?query=\(word)").text
        #expect(text.contains(#""media_type":"person""#) && text.contains(#""known_for":[{"#))
        let show = ShowCatalogTests.catalog.shows[0]
        let shows = get("/search/multi?query=\(QueryText.encoded(show.name))").text
        #expect(shows.contains(#""media_type":"tv""#) && shows.contains(#""poster_path":null"#))
    }

    @Test(arguments: [
        ("/movie/17", 34), ("/movie/x", 6), ("/movie/17/images", 34), ("/other", 34),
        ("/movie/100007/credits", 34),
    ])
    func `an unknown path is a 404 with its code`(path: String, code: Int) {
        let answer = get(path)
        #expect(answer.status == 404)
        #expect(answer.text.hasPrefix(#"{"status_code":\#(code),"#))
    }

    @Test func `the reader sees the quirk of a film`() async throws {
        func labels(_ quirk: TMDBQuirk?) async throws -> [String] {
            let item = try source.item(kind: "movie", id: "\(film(quirk).id)")
            return try await source.details(of: item, api: api).chain.compactMap { step in
                if case .candidate(let candidate) = step { candidate.label } else { nil }
            }
        }
        #expect(try await labels(.noPictures).isEmpty)
        #expect(try await labels(.noPoster) == TMDBDocument.backdropSizes.map { "backdrop \($0)" })
        let whole =
            TMDBDocument.posterSizes.map { "poster \($0)" }
            + TMDBDocument.backdropSizes.map { "backdrop \($0)" }
        #expect(try await labels(.originalGone) == whole)
        #expect(try await labels(nil) == whole)
    }

    @Test func `a language leaves its pictures alone, unless others are named`() throws {
        let film = try #require(
            (0..<100).map(films.film).first { $0.posters.count == 4 })
        func languages(_ query: String) -> Int {
            get("/movie/\(film.id)/images\(query)").text.split(separator: "\"iso_639_1\"").count - 1
        }
        let backdrops = film.backdrops.count
        #expect(languages("") == 4 + backdrops)
        #expect(languages("?language=nl-NL") == 1)
        #expect(languages("?language=fr") == 0)
        #expect(languages("?language=fr&include_image_language=en,null") == 2 + backdrops)
    }

    @Test(arguments: ["w92", "w342", "w780", "original"])
    func `posters come in their sizes, in their own shape`(size: String) async throws {
        let image = try #require(film(nil).posters.first)
        let pixels = try #require(image.pixels(size: size))
        let answer = await images.answer(DemoRequest(path: "/t/p/\(size)\(image.path)"))
        #expect(JPEGSize(answer.body) == JPEGSize(width: pixels.width, height: pixels.height))
        #expect(size == "original" || pixels.width == Int(size.dropFirst()))
        #expect((0.64...0.75).contains(Double(pixels.width) / Double(pixels.height)))
    }

    @Test(arguments: [
        (TMDBImage.Subject.backdrop(0, variant: 0), "w300", 300, 169),
        (.profile(3), "h632", 421, 632), (.profile(3), "w45", 45, 68),
    ])
    func `so do backdrops and portraits`(
        subject: TMDBImage.Subject, size: String, width: Int, height: Int
    ) async {
        let path = "/t/p/\(size)\(TMDBImage(subject: subject).path)"
        let answer = await images.answer(DemoRequest(path: path))
        #expect(JPEGSize(answer.body) == JPEGSize(width: width, height: height))
    }

    @Test func `sizes that aren't configured and pictures that aren't there are a 404`()
        async throws
    {
        let poster = try #require(film(nil).posters.first)
        let gone = try #require(film(.originalGone).posters.first)
        let never = TMDBImage(subject: .poster(try film(.noPoster).number, variant: 0))
        let nothing = TMDBImage(subject: .backdrop(try film(.noPictures).number, variant: 0))
        for path in [
            "w343\(poster.path)", "w300\(poster.path)", "w1280\(poster.path)", "\(poster.path)",
            "original\(gone.path)", "w342\(never.path)", "w300\(nothing.path)", "w342/x.jpg",
        ] {
            #expect(await images.answer(DemoRequest(path: "/t/p/\(path)")).status == 404, "\(path)")
        }
        #expect(await images.answer(DemoRequest(path: "/t/p/w92\(gone.path)")).status == 200)
    }

    @Test func `answers have the fields that were recorded`() throws {
        let logos: Set = [
            "logos[].aspect_ratio", "logos[].file_path", "logos[].height", "logos[].iso_639_1",
            "logos[].vote_average", "logos[].vote_count", "logos[].width",
        ]
        let word = FilmPerson(number: 3).name.prefix { $0 != " " }
        let several = try #require(
            (0..<100).map(films.film).first { $0.posters.count == 4 })
        for (path, name, missing) in [
            ("/movie/popular", "movie-popular-page-1", []),
            ("/movie/top_rated", "movie-top-rated-page-1", []),
            ("/configuration", "configuration", []), ("/genre/movie/list", "genre-movie-list", []),
            ("/movie/\(several.id)/images", "movie-575264-images", logos),
            ("/search/multi?query=\(word)", "search-multi-bradley-null-posters", []),
        ] as [(String, String, Set<String>)] {
            guard let recorded = try RecordedShape(recording: "tmdb/\(name).json") else { return }
            var played = try RecordedShape(get(path).body).paths
            if path.hasPrefix("/search") {
                // Another kind of thing was found besides.
                played.formUnion(try RecordedShape(get("/search/multi?query=the").body).paths)
            }
            #expect(recorded.paths.subtracting(played) == missing, "\(name)")
        }
    }
}
