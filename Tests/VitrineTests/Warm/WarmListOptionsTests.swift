import App
import ArgumentParser
import Catalog
import Pipeline
import TestSupport
import Testing

@testable import Console
@testable import vitrine

@Suite(.timeLimit(.minutes(1))) struct WarmListOptionsTests {
    /// What follows `vitrine warm`, and how the sentence begins.
    private static let wrong = [
        ("flickr shows", "Source “flickr” is unknown; known are "),
        ("tvmazee shows", "Source “tvmazee” is unknown; did you mean “tvmaze”?"),
        ("tvmaze nope", "TVmaze has no list “nope”; it has "),
        ("tmdb populr", "TMDB has no list “populr”; did you mean “popular”?"),
        ("tvmaze show", "Name the ids, such as: tvmaze show 1 2 3."),
        ("tvmaze show x", "A TVmaze id is a positive number"),
        ("tvmaze shows --pages 3-1", "--pages is “3-1”; expected "),
        ("tvmaze show 1 --pages 0", "Items have no pages; leave --pages out, or name a list of "),
        ("tvmaze shows girls", "TVmaze's list “shows” is not a search; leave “girls” out."),
        (
            "tvmaze shows --object-number 1",
            "TVmaze's list “shows” has no --object-number; it has --pages, --title, --from, "
        ),
        (
            "tmdb movies/popular --pages 0-3",
            "“page” must be a whole number from 1 to 500, not “0”."
        ),
        ("tmdb movies/populr", "TMDB has no list “movies/populr”; did you mean “movies/popular”?"),
        ("spotify artists/abc/albums --pages 0", "Spotify has no page numbers; leave --pages "),
        ("tmdb popular --pages 0-3", "“page” must be a whole number from 1 to 500, not “0”."),
        (
            "spotify artists arctic --pages 0",
            "Spotify has no page numbers; leave --pages out, and say with --limit how "
        ),
        ("spotify artist-albums", "Name one artist by its id, such as: spotify artist-albums "),
        ("itunes albums da", "A search term needs at least 3 characters."),
    ]

    /// Runs the body with a service on a cache of its own.
    private func with(_ body: (Assembly, _ directory: String) async throws -> Void) async throws {
        try await withScratchDirectory { directory in
            let shared = try SharedOptions.parse(["--cache", directory])
            let assembly = try await Assembly.open(shared.load(environment: [:]).settings)
            try await body(assembly, directory)
            try await assembly.close()
        }
    }

    @Test func `a list that can't be asked for is a usage error in one sentence`() async throws {
        try await with { assembly, _ in
            for (line, begin) in Self.wrong {
                let list = try WarmListOptions.parse(line.split(separator: " ").map(String.init))
                let error = await #expect(throws: CommandError.self, "\(line)") {
                    _ = try await list.request(
                        assembly.pipeline, renditions: [], concurrency: 1, BadLines(""))
                }
                #expect(error?.status == .usage)
                #expect(error?.description.hasPrefix(begin) == true, "\(error?.description ?? "")")
                #expect(error?.description.contains("\n") == false)
            }
        }
    }

    @Test(arguments: [
        ("tmdb movies/popular", "tmdb/movies/popular?page=1"),
        ("tmdb popular", "tmdb/movies/popular?page=1"),
        ("tmdb movies/top-rated", "tmdb/movies/top-rated?page=1"),
        ("spotify artists/abc/albums", "spotify/artists/abc/albums?offset=0"),
        ("spotify artist-albums abc", "spotify/artists/abc/albums?offset=0"),
        ("itunes albums daft", "itunes/albums?term=daft"),
    ])
    func `a list has the name that it has below the API, or its short one`(
        line: String, key: String
    ) async throws {
        try await with { assembly, _ in
            let request = try await WarmListOptions.parse(
                line.split(separator: " ").map(String.init)
            ).request(assembly.pipeline, renditions: [], concurrency: 1, BadLines(""))
            guard case .pages(let queries, _, _) = request.scope else {
                Issue.record("The items are not those of pages.")
                return
            }
            #expect(queries.map(\.key) == [key])
        }
    }

    @Test func `options name the columns of a list`() async throws {
        try await with { assembly, directory in
            let file = "\(directory)/posters.csv"
            try writeFile(
                file, "sku,front,back,name,article\n1,https://a/f,https://a/b,N,7\n")
            let options = try WarmListOptions.parse([
                file, "--url-column", "back", "--id-column", "5", "--title-column", "SKU",
            ])
            let names = ListedNames()
            let request = try await options.request(
                assembly.pipeline, renditions: [], concurrency: 1, BadLines(file), names)
            guard case .stream(let open) = request.scope else {
                Issue.record("The items are not those of a file.")
                return
            }
            let next = try await open()
            var items: [Item] = []
            while let more = try await next() { items += more }
            #expect(items == [try SignedURL.item(of: "https://a/b")])
            let listed = try #require(items.first.flatMap(names.take))
            #expect((listed.id, listed.title) == ("7", "1"))
        }
    }
}
