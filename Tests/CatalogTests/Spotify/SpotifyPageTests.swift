import JSON
import PlayedAPIs
import Testing

@testable import Catalog

/// Answers here are made up but for their form.
@Suite(.timeLimit(.minutes(1))) struct SpotifyPageTests {
    private static func albums(_ offset: Int) -> String {
        "/artists/abc/albums?include_groups=album,single&limit=10&offset=\(offset)"
    }

    private static func search(_ offset: Int) -> String {
        "/search?q=arctic%20m&type=artist&limit=10&offset=\(offset)"
    }

    private func albums(
        _ offset: Int, _ json: String, cap: Int = 100
    ) async throws -> CatalogPage? {
        let source = Spotify.scripted(cap: cap)
        return try await source.page(
            source.query(list: "artists/abc/albums", parameters: ["offset": "\(offset)"]),
            api: SpotifyScript(json: [Self.albums(offset): json]))
    }

    private func next(_ offset: Int) -> String {
        "https://api.spotify.com/v1/artists/abc/albums?offset=\(offset)&limit=10&album_type=single"
    }

    @Test func `a part of a list leads to the next one`() async throws {
        let page = try #require(
            try await albums(
                10,
                """
                {"href":"x","limit":10,"offset":10,"previous":null,"total":148,"next":"\(next(20))",
                 "items":[{"id":"one","name":"One","total_tracks":11},null,{"name":"no id"},{"id":"../x"},
                 {"id":"two","name":"Two"},{"id":"one","name":"One again"}]}
                """))
        #expect(page.items.map(\.entry.title) == ["One", "Two"])
        #expect(page.items.map(\.entry.trackCount) == [11, nil])
        #expect(page.items.map(\.entry.item.description).first == "spotify/album/one")
        #expect(
            page.next
                == ListQuery(
                    source: "spotify", list: "artists/abc/albums", parameters: ["offset": "20"]))
        #expect(page.total == 100)
        #expect(page.firstIndex == 10)
    }

    @Test func `a search keeps its term from part to part`() async throws {
        let source = Spotify.scripted()
        let part = SpotifyPage(
            total: 127,
            next: "https://api.spotify.com/v1/search?query=arctic+m&type=artist&offset=10&limit=10")
        let artists: JSON = ["artists": part.json([SpotifyDocument.artist(id: "one", name: "One")])]
        let script = SpotifyScript(json: [
            Self.search(0): artists.text
        ])
        let page = try #require(
            try await source.page(
                source.query(list: "artists", parameters: ["q": "arctic m"]), api: script))
        #expect(page.items.map(\.entry.item.description) == ["spotify/artist/one"])
        #expect(
            page.next
                == ListQuery(
                    source: "spotify", list: "artists",
                    parameters: ["q": "arctic m", "offset": "10"]))
    }

    @Test(arguments: [
        ("null", nil), ("7", nil), (#""@20""#, "20"), (#""@25""#, "25"),
        (#""@10""#, nil), (#""@0""#, nil), (#""@-1""#, nil), (#""@x""#, nil), (#""@2000""#, nil),
        (#""https://api.spotify.com/v1/artists/abc/albums""#, nil),
        (#""https://api.spotify.com.example.org/v1/x?offset=20""#, nil),
        (#""http://api.spotify.com/v1/x?limit=10&offset=20""#, "20"),
    ])
    func `only a way forward at the API's host is followed`(
        next: String, offset: String?
    ) async throws {
        let address = next.replacing("@", with: "https://api.spotify.com/v1/x?offset=")
        let page = try await albums(10, #"{"items":[{"id":"one"}],"next":\#(address)}"#)
        #expect(page?.next?.parameters["offset"] == offset)
    }

    @Test(arguments: [
        (100, 80, "90"), (100, 90, nil), (30, 10, "20"), (30, 20, nil), (30, 50, nil),
    ])
    func `a list ends at its cap`(cap: Int, offset: Int, expected: String?) async throws {
        let page = try await albums(
            offset,
            SpotifyPage(total: 922, next: next(offset + 10)).json([
                SpotifyDocument.album(id: "one", name: "One")
            ]).text, cap: cap)
        #expect(page?.next?.parameters["offset"] == expected)
        #expect(page?.total == cap)
    }

    @Test func `no items at the start is an empty page, later the end`() async throws {
        let nothing = SpotifyPage(total: 0).json([]).text
        #expect(
            try await albums(0, nothing)
                == CatalogPage(items: [], next: nil, total: 0, firstIndex: 0))
        #expect(try await albums(10, nothing) == nil)
    }

    @Test func `albums of an unknown artist are absent`() async throws {
        let source = Spotify.scripted()
        await #expect(throws: Failure.notFound(reason: "Spotify has no artist abc.")) {
            try await source.page(
                source.query(list: "artists/abc/albums", parameters: [:]), api: SpotifyScript())
        }
    }

    @Test(arguments: [
        (
            400, SpotifyDocument.problem(400, "Invalid limit").text,
            "api.spotify.com answered 400."
        ),
        (403, "{}", "api.spotify.com answered 403."),
        (200, "{}", "Spotify answered JSON of an unknown shape."),
        (200, #"{"artists":null}"#, "Spotify answered JSON of an unknown shape."),
        (200, "<html>", "Spotify answered something that is not JSON."),
    ])
    func `an answer that makes no sense is unavailable, never an empty page`(
        status: Int, body: String, sentence: String
    ) async {
        let answer = APIAnswer(status: status, body: Array(body.utf8))
        let script = SpotifyScript([
            "https://api.spotify.com/v1\(Self.albums(0))": answer,
            "https://api.spotify.com/v1\(Self.search(0))": answer,
        ])
        let source = Spotify.scripted()
        for (list, given) in [("artists/abc/albums", [:]), ("artists", ["q": "arctic m"])] {
            await #expect(
                throws: Failure.unavailable(
                    reason: sentence, timedOut: false, retryAfter: nil)
            ) {
                try await source.page(source.query(list: list, parameters: given), api: script)
            }
        }
    }
}
