import Catalog
import JSON
import PlayedAPIs
import Testing

@testable import Demo

/// TMDB is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct PlayedTMDBTests {
    private let demo: PlayedDemo
    private let source = TMDB(credentials: TMDBCredentials("demo-token"))
    private var films: FilmCatalog { PlayedDemo.origin.films }

    init() throws { demo = try PlayedDemo() }

    private func get(_ path: String) async -> DemoAnswer {
        await demo.answer("https://api.themoviedb.org/3\(path)") {
            $0.authorization = "Bearer demo-token"
        }
    }

    private func film(_ quirk: Quirk?) throws -> DemoFilm {
        try #require(films.films.first { $0.quirk == quirk })
    }

    private func page(_ list: String, _ parameters: [String: String]) async throws -> CatalogPage? {
        try await source.page(source.query(list: list, parameters: parameters), api: demo)
    }

    @Test(
        arguments: [
            ("Bearer demo-token", "", 200), (nil, "?api_key=demo-token", 200),
            ("Bearer wrong", "", 401), (nil, "", 401), (nil, "?api_key=", 401),
        ] as [(String?, String, Int)])
    func `a key is demanded`(authorization: String?, query: String, status: Int) async {
        let answer = await demo.answer("https://api.themoviedb.org/3/configuration\(query)") {
            $0.authorization = authorization
        }
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

    @Test func `the number of pages lies: none after 500 is given`() async {
        #expect(await get("/movie/popular?page=500").text.contains(#""total_pages":40563,"#))
        #expect(await get("/movie/popular?page=500").text.contains(#""title":"#))
        for page in ["501", "0", "x"] {
            let answer = await get("/movie/popular?page=\(page)")
            #expect(answer.status == 400)
            #expect(answer.text.hasPrefix(#"{"status_code":22,"#))
        }
    }

    @Test func `the best films are listed to their end, and searches find titles`() async throws {
        let votes = (1...50).flatMap { films.topRated(page: $0) }.map(\.vote)
        #expect(votes.count == 1_000 && votes == votes.sorted(by: >))
        #expect(try #require(try await page("movies/top-rated", ["page": "50"])).next == nil)
        let title = films.films[7].title
        let found = try #require(try await page("search", ["q": title]))
        #expect(found.items.contains { $0.entry.title == title })
        #expect(try #require(try await page("search", ["q": "zzzz"])).items.isEmpty)
    }

    @Test(arguments: [
        ("/movie/17", 34), ("/movie/x", 6), ("/movie/17/images", 34), ("/other", 34),
        ("/movie/100007/credits", 34),
    ])
    func `an unknown path is a 404 with its code`(path: String, code: Int) async {
        let answer = await get(path)
        #expect(answer.status == 404)
        #expect(answer.text.hasPrefix(#"{"status_code":\#(code),"#))
    }

    @Test func `the reader sees the quirk of a film`() async throws {
        func labels(_ quirk: Quirk?) async throws -> [String] {
            let details = try await demo.details(source, "movie", "\(film(quirk).id)")
            return details.chain.compactMap { step in
                if case .candidate(let candidate) = step { candidate.label } else { nil }
            }
        }
        #expect(try await labels(.noPicture).isEmpty)
        #expect(try await labels(.noPoster) == TMDBDocument.backdropSizes.map { "backdrop \($0)" })
        let whole =
            TMDBDocument.posterSizes.map { "poster \($0)" }
            + TMDBDocument.backdropSizes.map { "backdrop \($0)" }
        #expect(try await labels(.originalGone) == whole)
        #expect(try await labels(nil) == whole)
    }

    private func picture(_ size: String, _ path: String) async -> DemoAnswer {
        await demo.answer("https://image.tmdb.org/t/p/\(size)\(path)")
    }

    @Test(arguments: ["w92", "w342", "w780", "original"])
    func `posters come in their sizes, in their own shape`(size: String) async throws {
        let image = try #require(film(nil).images(.poster).first)
        let pixels = try #require(await picture(size, image.path).size)
        #expect(size == "original" || pixels.width == Int(size.dropFirst()))
        #expect((0.64...0.75).contains(Double(pixels.width) / Double(pixels.height)))
        let ratio = Double(image.pixels.width) / Double(image.pixels.height)
        #expect(abs(Double(pixels.width) / Double(pixels.height) - ratio) < 0.01)
        let backdrop = try #require(film(nil).images(.backdrop).first)
        #expect(await picture("w300", backdrop.path).size == JPEGSize(300, 169))
    }

    @Test func `sizes that aren't configured and pictures that aren't there are a 404`()
        async throws
    {
        let poster = try #require(film(nil).images(.poster).first).path
        let gone = try #require(film(.originalGone).images(.poster).first).path
        let never = DemoFilm.Image(film: try film(.noPoster), kind: .poster, variant: 0).path
        for (size, path) in [
            ("w343", poster), ("w300", poster), ("w1280", poster), ("original", gone),
            ("w342", never), ("w342", "/x.jpg"),
        ] {
            #expect(await picture(size, path).status == 404, "\(size)\(path)")
        }
        #expect(await picture("w92", gone).status == 200)
    }
}
