import Catalog
import Testing

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
