import Catalog
import JSON
import PlayedAPIs
import Testing

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
        (404, ""), (410, ""), (400, SpotifyDocument.problem(400, "invalid id").text),
        (400, SpotifyDocument.problem(400, "Invalid base62 id").text),
    ])
    func `an unknown item is absent`(status: Int, body: String) async throws {
        let source = Spotify.scripted()
        let script = SpotifyScript([
            "https://api.spotify.com/v1/albums/abc": APIAnswer(
                status: status, body: Array(body.utf8))
        ])
        await #expect(throws: Failure.notFound(reason: "Spotify has no album abc.")) {
            try await source.details(of: source.item(kind: "album", id: "abc"), api: script)
        }
    }

    @Test(arguments: [
        (403, "{}", "api.spotify.com answered 403."),
        (400, "", "api.spotify.com answered 400."),
        (
            400, SpotifyDocument.problem(400, "Invalid limit").text,
            "api.spotify.com answered 400."
        ),
        (
            400, SpotifyDocument.problem(400, "Invalid market code").text,
            "api.spotify.com answered 400."
        ),
        (400, #"{"error":"invalid id"}"#, "api.spotify.com answered 400."),
        (200, "null", "Spotify answered JSON of an unknown shape."),
        (200, #"{"id":"a/b"}"#, "Spotify answered JSON of an unknown shape."),
        (200, "", "Spotify answered something that is not JSON."),
    ])
    func `any other answer is unavailable`(
        status: Int, body: String, sentence: String
    ) async throws {
        let source = Spotify.scripted()
        let answer = APIAnswer(status: status, body: Array(body.utf8))
        let script = SpotifyScript([
            "https://api.spotify.com/v1/albums/abc": answer
        ])
        await #expect(
            throws: Failure.unavailable(reason: sentence, timedOut: false, retryAfter: nil)
        ) {
            try await source.details(of: source.item(kind: "album", id: "abc"), api: script)
        }
    }
}
