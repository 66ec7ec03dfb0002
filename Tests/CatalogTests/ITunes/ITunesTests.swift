import Catalog
import Fetch
import JSON
import PlayedAPIs
import Testing

/// Answers here are made up: none of a throttle, and none with several discs, was ever recorded.
@Suite(.timeLimit(.minutes(1))) struct ITunesAnswerTests {
    let source = ITunes()
    let lookUp = "https://itunes.apple.com/lookup?id=7&entity=song&limit=200"
    let search =
        "https://itunes.apple.com/search?term=abc&entity=album&media=music&limit=200&country=US"

    private func details(_ json: String) async throws -> ItemDetails {
        try await source.details(
            of: source.item(kind: "album", id: "7"), api: ScriptedAPI(json: [lookUp: json]))
    }

    private func page(_ json: String) async throws -> CatalogPage {
        let query = try source.query(list: "albums", parameters: ["term": "abc"])
        return try #require(
            try await source.page(query, api: ScriptedAPI(json: [search: json])))
    }

    private func track(_ text: String) -> String {
        let parts = text.split(separator: " ")
        return """
            {"wrapperType":"track","kind":"\(parts[0])","collectionId":7,"discNumber":\(parts[1]),\
            "trackNumber":\(parts[2]),"trackName":"\(text)","trackTimeMillis":1000}
            """
    }

    @Test func `an album tells what a person wants to know`() async throws {
        let details = try await details(
            """


            {"resultCount":1,"new":[],"results":[{"wrapperType":"collection","collectionId":7,
             "collectionName":" Saltwind ","artistName":"The Harbour","amgArtistId":null,
             "collectionViewUrl":"http://music.apple.com/us/album/saltwind/7?uo=4",
             "releaseDate":"1963-03-22T08:00:00Z","primaryGenreName":"Rock","copyright":"℗ 1963"}]}
            """)
        var expected = CatalogEntry(
            item: Item(source: "itunes", kind: "album", id: "7"), title: "Saltwind")
        expected.subtitle = "The Harbour"
        expected.date = "1963-03-22"
        expected.genres = ["Rock"]
        expected.link = "https://music.apple.com/us/album/saltwind/7?uo=4"
        expected.rights = "℗ 1963"
        expected.tracks = []
        #expect(details == ItemDetails(entry: expected, chain: []))
    }

    @Test func `songs are in order of disc and track, videos left out`() async throws {
        let tracks = [
            "music-video 1 15", "song 2 2", "song 1 10", "song 2 1", "song 1 9", "song null 1",
            "song 1 null", "song 1 1",
        ]
        let details = try await details(
            """
            {"results":[\(tracks.map(track).joined(separator: ",")),
             {"wrapperType":"artist","artistId":3},
             {"wrapperType":"collection","collectionId":8},{"wrapperType":"collection",
             "collectionId":7}]}
            """)
        #expect(
            details.entry.tracks?.map(\.title) == [
                "song 1 1", "song 1 9", "song 1 10", "song 1 null", "song 2 1", "song 2 2",
                "song null 1",
            ])
        #expect(
            details.entry.tracks?.first
                == Track(title: "song 1 1", disc: 1, number: 1, milliseconds: 1_000))
        #expect(details.isComplete)
        #expect(details.entry.trackCount == 7)
        #expect(details.entry.milliseconds == 7_000)
    }

    private func song(_ more: String) -> String {
        """
        {"wrapperType":"track","kind":"song","collectionId":7,"collectionName":"Saltwind",\(more),
         "collectionViewUrl":"https://music.apple.com/us/album/x/7?i=9&uo=4",
         "primaryGenreName":"Rock","copyright":"℗ of a song"}
        """
    }

    @Test func `an answer with songs only still tells the album and its cover`() async throws {
        let artwork = "https://is1-ssl.mzstatic.com/image/thumb/A/v4/a.jpg/100x100bb.jpg"
        let songs = [
            song(
                #""trackNumber":2,"trackName":"B","artistName":"One","releaseDate":"2013-05-17T07""#
            ),
            song(
                #""trackNumber":1,"trackName":"A","artistName":"One","releaseDate":"2013-04-19T07","#
                    + #""artworkUrl100":"\#(artwork)""#),
            track("music-video 1 15"),
        ]
        let details = try await details(
            #"{"resultCount":3,"results":[\#(songs.joined(separator: ","))]}"#)
        #expect(details.entry.title == "Saltwind")
        #expect(details.entry.subtitle == "One")
        #expect(details.entry.date == "2013-05-17")
        #expect(details.entry.link == "https://music.apple.com/us/album/x/7")
        #expect(details.entry.rights == nil)
        #expect(details.entry.tracks?.map(\.title) == ["A", "B"])
        #expect(details.firstURL(for: LevelBoxes.all[2])?.hasSuffix("/a.jpg/320x320bb.jpg") == true)
        #expect(details.isComplete)
    }

    @Test(
        arguments: [
            (#""artistName":"One""#, #""artistName":"Two""#, nil),
            (
                #""artistName":"One","collectionArtistName":"Various Artists""#,
                #""artistName":"Two","collectionArtistName":"Various Artists""#, "Various Artists"
            ),
        ] as [(String, String, String?)])
    func `songs of several artists tell whose album it is, or nothing`(
        first: String, second: String, artist: String?
    ) async throws {
        let details = try await details(#"{"results":[\#(song(first)),\#(song(second))]}"#)
        #expect(details.entry.subtitle == artist)
    }

    @Test(arguments: [
        #"{"resultCount":0,"results":[]}"#,
        #"{"resultCount":1,"results":[{"wrapperType":"track","kind":"song","collectionId":8}]}"#,
        #"{"resultCount":1,"results":[{"wrapperType":"track","kind":"song"}]}"#,
        #"{"resultCount":1,"results":[{"wrapperType":"artist","artistId":7}]}"#,
        #"{"resultCount":1,"results":[{"wrapperType":"collection","collectionId":8}]}"#,
    ])
    func `an answer without the album says that there is none`(json: String) async {
        await #expect(throws: Failure.notFound(reason: "iTunes has no album 7.")) {
            try await details(json)
        }
    }

    @Test func `a search keeps albums, each once, and leaves their songs to later`() async throws {
        let page = try await page(
            """
            {"resultCount":8,"results":[{"wrapperType":"collection","collectionId":3},null,
             {"wrapperType":"collection","collectionId":1000000000000000},
             {"wrapperType":"track","kind":"song","collectionId":4},{"wrapperType":"artist"},
             {"wrapperType":"collection","collectionId":"5"},{"collectionId":6},
             {"wrapperType":"collection","collectionId":3},
             {"wrapperType":"collection","collectionId":9,"collectionName":5,"releaseDate":"soon",
              "artistName":" ","collectionViewUrl":"https://example.org/"}]}
            """)
        #expect(page.items.map(\.entry.title) == ["Album 3", "Album 9"])
        #expect(page.items.allSatisfy { !$0.isComplete && $0.isResolved && $0.entry.tracks == nil })
        #expect(
            page.items.last?.entry
                == CatalogEntry(
                    item: Item(
                        source: "itunes", kind: "album", id: "9"), title: "Album 9"))
        #expect(page.next == nil)
        #expect(page.total == 2)
        #expect(page.firstIndex == 0)
    }

    @Test(arguments: [
        (
            403, #"{"resultCount":0,"results":[]}"#,
            "iTunes is rate-limiting us (403). It usually recovers within minutes."
        ),
        (404, "", "itunes.apple.com answered 404."),
        (200, #"{"resultCount":3,"results":[]}"#, "iTunes announced results and sent none."),
    ])
    func `a throttle, a 404 or a lost answer is unavailable, never "no results"`(
        status: Int, body: String, sentence: String
    ) async {
        let answer = APIAnswer(status: status, body: Array(body.utf8))
        let api = ScriptedAPI([search: answer, lookUp: answer])
        let expected = Failure.unavailable(
            reason: sentence, timedOut: false, retryAfter: nil)
        await #expect(throws: expected) {
            try await source.page(
                source.query(list: "albums", parameters: ["term": "abc"]), api: api)
        }
        await #expect(throws: expected) {
            try await source.details(of: source.item(kind: "album", id: "7"), api: api)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct ITunesTests {
    let source = ITunes()

    @Test(arguments: [
        ("daft punk", "daft+punk"), ("  a   b\tc ", "a+b+c"), ("AC/DC", "AC%2FDC"),
        ("1.5-2_x*", "1.5-2_x*"), ("~a&b=c+d", "%7Ea%26b%3Dc%2Bd"), ("Sigur Rós", "Sigur+R%C3%B3s"),
    ])
    func `a term is written as the API wants it`(term: String, written: String) async throws {
        let url =
            "https://itunes.apple.com/search?term=\(written)&entity=album&media=music&limit=200"
            + "&country=US"
        let api = ScriptedAPI(json: [url: ITunesAlbum.results([]).text])
        let query = try source.query(list: "albums", parameters: ["term": term])
        #expect(
            try await source.page(query, api: api)
                == CatalogPage(items: [], next: nil, total: 0, firstIndex: 0))
        #expect(api.asked.map(\.url) == [url])
        #expect(api.asked.map(\.allowedHosts) == [[HostPattern("itunes.apple.com")]])
    }

    @Test func `words of the command line are a search term without pages`() throws {
        let listing = try source.listing(named: "albums", words: ["daft", "punk"])
        #expect(listing.list == "albums")
        #expect(listing.parameters == ["term": "daft punk"])
        #expect(source.list("albums")?.pageParameter == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ITunesArtworkTests {
    let source = ITunes()

    /// An album as a search gives it; made up.
    private func album(_ fields: String) async throws -> ItemDetails {
        let api = ScriptedAPI(json: [
            "https://itunes.apple.com/search?term=abc&entity=album&media=music&limit=200&country=US":
                #"{"results":[{"wrapperType":"collection","collectionId":7,\#(fields)}]}"#
        ])
        let query = try source.query(list: "albums", parameters: ["term": "abc"])
        return try #require(try await source.page(query, api: api)?.items.first)
    }

    static let today = "https://is1-ssl.mzstatic.com/image/thumb/Music115/v4/e8/a.jpg"
    static let earlier = "https://is3-ssl.mzstatic.com/image/thumb/Music124/v4/e8/source"
    static let old = "https://is4.mzstatic.com/image/pf/us/r30/Music4/v4/41/a.100x100-75.jpg"

    @Test(arguments: [
        (Self.today, [80, 160, 320, 640, 1_200]), (Self.earlier, [80, 160, 320, 640, 1_200]),
    ])
    func `artwork of today's forms is asked for in the size wanted, up to 1200`(
        base: String, sides: [Int]
    ) async throws {
        for ending in ["bb.jpg", "bb.png", "bb.webp"] {
            let given = "\(base)/100x100\(ending)"
            let details = try await album(
                #""artworkUrl60":"\#(base)/60x60bb.jpg","artworkUrl100":"\#(given)""#)
            for (box, side) in zip(LevelBoxes.all, sides) {
                #expect(details.firstURL(for: box) == "\(base)/\(side)x\(side)bb.jpg")
                #expect(
                    details.labels(for: box)
                        == "artwork \(side)×\(side) → artworkUrl100 → "
                        + "artworkUrl60")
                #expect(details.orderedChain(for: box)[1].candidate?.url == given)
            }
        }
    }

    @Test(arguments: [
        Self.old,
        "https://is1-ssl.mzstatic.com/a/100x100-75.jpg",
        "https://is1-ssl.mzstatic.com/a/x100x100bb.jpg",
        "https://is1-ssl.mzstatic.com/a/100x100bb.jpg/",
        "https://is1-ssl.mzstatic.com/100x100bb.jpg/a.jpg",
        "https://is1-ssl.mzstatic.com/a/100x100bb.jpeg",
        "https://is1-ssl.mzstatic.com/a/100x100bb.jpg?100x100",
        "https://is1-ssl.mzstatic.com/a/x100bb.jpg",
    ])
    func `every other address is used as it is`(given: String) async throws {
        let details = try await album(#""artworkUrl100":"\#(given)""#)
        for box in LevelBoxes.all {
            #expect(details.labels(for: box) == "artworkUrl100")
            #expect(details.firstURL(for: box) == given)
        }
    }

    @Test func `a name that holds the size keeps it`() async throws {
        let details = try await album(
            #""artworkUrl100":"https://is1-ssl.mzstatic.com/100x100/100x100bb.jpg/100x100bb.jpg""#)
        #expect(
            details.firstURL(for: LevelBoxes.all[2])
                == "https://is1-ssl.mzstatic.com/100x100/100x100bb.jpg/320x320bb.jpg")
    }

    @Test func `a wide box asks for a square of its shorter side`() async throws {
        let details = try await album(#""artworkUrl100":"\#(Self.today)/100x100bb.jpg""#)
        #expect(
            details.firstURL(for: PictureBox(width: 500, height: 200))
                == "\(Self.today)/200x200bb.jpg")
    }

    @Test(arguments: [
        (#""artworkUrl100":null,"artworkUrl60":null"#, ""),
        (#""artworkUrl100":7"#, ""),
        (#""artworkUrl60":"http://is4.mzstatic.com/a/60x60bb.jpg""#, "artworkUrl60"),
        (#""artworkUrl100":"http://a1.phobos.apple.com/us/r1000/a.100x100-75.jpg""#, ""),
        (#""artworkUrl100":"https://is1-ssl.mzstatic.com.example.org/a/100x100bb.jpg""#, ""),
        (#""artworkUrl100":"https://mzstatic.com/a/100x100bb.jpg""#, ""),
        (#""artworkUrl100":"https://u@is1-ssl.mzstatic.com/a/100x100bb.jpg""#, ""),
    ])
    func `missing pictures and those on other hosts are left out`(fields: String, labels: String)
        async throws
    {
        #expect(try await album(fields).labels(for: LevelBoxes.all[2]) == labels)
    }

    @Test func `http becomes https before there is a key`() async throws {
        let details = try await album(
            #""artworkUrl100":"http://is1-ssl.mzstatic.com/a/100x100bb.jpg""#)
        #expect(
            details.orderedChain(for: LevelBoxes.all[0]).map(\.candidate?.url) == [
                "https://is1-ssl.mzstatic.com/a/80x80bb.jpg",
                "https://is1-ssl.mzstatic.com/a/100x100bb.jpg",
            ])
    }
}
