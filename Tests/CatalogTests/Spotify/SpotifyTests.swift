import Fetch
import JSON
import PlayedAPIs
import Testing

@testable import Catalog

/// Answers here are made up.
@Suite(.timeLimit(.minutes(1))) struct SpotifyAnswerTests {
    private func details(_ kind: String, _ json: String) async throws -> ItemDetails {
        let source = Spotify.scripted()
        return try await source.details(
            of: source.item(kind: kind, id: "abc"),
            api: SpotifyScript(json: ["/\(kind)s/abc": json]))
    }

    @Test func `an album tells what a person wants to know`() async throws {
        let entry = try await details(
            "album",
            """
            {"id":"abc","name":" Saltwind ","release_date":"2013-09","genres":["indie",null," "],
             "artists":[{"name":"One"},null,{"id":"x"},{"name":"Two "}],"popularity":"?",
             "external_urls":{"spotify":"http://open.spotify.com/album/abc"}}
            """
        ).entry
        var expected = CatalogEntry(
            item: Item(source: "spotify", kind: "album", id: "abc"), title: "Saltwind")
        expected.subtitle = "One, Two"
        expected.date = "2013-09"
        expected.genres = ["indie"]
        expected.link = "https://open.spotify.com/album/abc"
        #expect(entry == expected)
    }

    @Test func `everything but the id may be missing or odd`() async throws {
        let details = try await details(
            "artist",
            """
            {"id":"abc","name":3,"genres":"x","artists":{},"images":"none","release_date":"0000",
             "external_urls":{"spotify":"https://example.org/"},"followers":null}
            """)
        #expect(
            details
                == ItemDetails(
                    entry: CatalogEntry(
                        item: Item(source: "spotify", kind: "artist", id: "abc"),
                        title: "Artist abc"), chain: []))
    }

    /// One image of the list: `640x853`, `?` for an unknown size.
    private func image(_ text: Substring) -> SpotifyDocument.Image {
        let sides = text.split(separator: "x").map { Int($0) }
        return ("https://i.scdn.co/image/\(text.replacing("?", with: "u"))", sides[0], sides[1])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var images: String
        /// Widths that the five levels try, in order.
        var expected: [String]

        var testDescription: String { images }
    }

    static let cases = [
        // Albums, as recorded.
        Case(
            images: "640x640 300x300 64x64",
            expected: [
                "300 640 64", "300 640 64", "640 300 64", "640 300 64", "640 300 64",
            ]),
        // Artists, as recorded.
        Case(
            images: "1000x1333 640x853 200x267 64x85",
            expected: [
                "200 640 1000 64", "200 640 1000 64", "640 1000 200 64", "640 1000 200 64",
                "1000 640 200 64",
            ]),
        Case(
            images: "640x640 320x320 160x160",
            expected: [
                "160 320 640", "160 320 640", "320 640 160", "640 320 160", "640 320 160",
            ]),
        // Documented, never recorded.
        Case(images: "?x? ?x?", expected: Array(repeating: "u u", count: 5)),
        Case(
            images: "?x? 300x300 64x64",
            expected: ["300 u 64", "300 u 64", "u 300 64", "u 300 64", "u 300 64"]),
        Case(images: "0x0 64x64", expected: ["u 64", "u 64", "u 64", "u 64", "u 64"]),
        Case(images: "", expected: ["", "", "", "", ""]),
    ]

    @Test(arguments: cases)
    func `a level takes the smallest image that covers it, then larger, then smaller`(
        _ given: Case
    ) async throws {
        let images = given.images.split(separator: " ").map(image)
        let details = try await details(
            "artist", SpotifyDocument.artist(id: "abc", name: "Artist", images: images).text)
        for (box, expected) in zip(LevelBoxes.all, given.expected) {
            let widths = details.orderedChain(for: box)
                .map { step in step.candidate?.width.map { "\($0)" } ?? "u" }
            #expect(widths.joined(separator: " ") == expected, "\(box.width)")
        }
    }

    @Test func `unsized images stay as they were given, and odd ones are left out`() async throws {
        let details = try await details(
            "artist",
            """
            {"id":"abc","images":[null,{"width":640},{"url":"http://i.scdn.co/image/1","width":null},
             {"url":"https://i.scdn.co.example.org/image/2"},{"url":"https://x.cloudfront.net/3"},
             {"url":"https://i.scdn.co/image/4","width":640,"height":600}]}
            """)
        #expect(
            details.chain == [
                .candidate(
                    Candidate(url: "https://i.scdn.co/image/1", label: "image", rank: 0)),
                .candidate(
                    Candidate(
                        url: "https://i.scdn.co/image/4", label: "image 640×600", rank: 0,
                        width: 640, height: 600)),
            ])
    }

    @Test(arguments: [
        (404, "", true), (410, "", true),
        (400, SpotifyDocument.problem(400, "invalid id").text, true),
        (400, SpotifyDocument.problem(400, "Invalid base62 id").text, true),
        // For another reason than the id.
        (400, "", false), (400, SpotifyDocument.problem(400, "Invalid limit").text, false),
        (400, SpotifyDocument.problem(400, "Invalid market code").text, false),
        (400, #"{"error":"invalid id"}"#, false),
    ])
    func `an item of an unknown id is absent, and after another 400 unavailable`(
        status: Int, body: String, isAbsent: Bool
    ) async throws {
        let source = Spotify.scripted()
        let script = SpotifyScript([
            "https://api.spotify.com/v1/albums/abc": APIAnswer(
                status: status, body: Array(body.utf8))
        ])
        let expected: Failure =
            isAbsent
            ? .notFound(reason: "Spotify has no album abc.")
            : .unavailable(
                reason: "api.spotify.com answered 400.", timedOut: false, retryAfter: nil)
        await #expect(throws: expected) {
            try await source.details(of: source.item(kind: "album", id: "abc"), api: script)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct SpotifyTests {
    let source = Spotify(credentials: nil)

    @Test func `the command line's names become lists`() throws {
        let albums = try source.listing(named: "artist-albums", words: ["abc"])
        #expect(albums.list == "artists/abc/albums")
        #expect(albums.parameters.isEmpty)
        let artists = try source.listing(named: "artists", words: ["arctic", "monkeys"])
        #expect(artists.list == "artists")
        #expect(artists.parameters == ["q": "arctic monkeys"])
        for words in [[], ["abc", "def"]] {
            #expect(
                throws: Failure.invalid(
                    reason: """
                        Name one artist by its id, such as: spotify artist-albums \
                        7Ln80lUS6He07XvHI8qqHH.
                        """)
            ) {
                try source.listing(named: "artist-albums", words: words)
            }
        }
        #expect(source.lists.allSatisfy { $0.pageParameter == nil })
    }
}

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
}
