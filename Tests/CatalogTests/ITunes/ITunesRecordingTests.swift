import Catalog
import TestSupport
import Testing

/// Recorded answers of the real API, trimmed to a few entries of each list.
@Suite(.timeLimit(.minutes(1))) struct ITunesRecordingTests {
    let source = ITunes()

    private func search(_ name: String) async throws -> CatalogPage {
        let json = try Recordings.text("itunes/\(name)")
        let api = ScriptedAPI(json: [
            "https://itunes.apple.com/search?term=abc&entity=album&media=music&limit=200&country=US":
                json
        ])
        let query = try source.query(list: "albums", parameters: ["term": "abc"])
        return try #require(try await source.page(query, api: api))
    }

    @Test func `every album of a search is read`() async throws {
        let page = try await search("search-album-daft-punk-random-access-memories")
        #expect(
            page.items.map(\.entry.item.id).prefix(3) == ["617154241", "1673536063", "1708115055"])
        #expect(page.items.count == 7)
        for album in page.items {
            #expect(album.entry.date != nil && album.entry.link != nil && album.entry.rights != nil)
            #expect(album.entry.subtitle != nil && album.entry.genres.count == 1)
            for (box, side) in zip(LevelBoxes.all, [80, 160, 320, 640, 1_200]) {
                #expect(album.firstURL(for: box)?.hasSuffix("/\(side)x\(side)bb.jpg") == true)
                #expect(album.orderedChain(for: box).count == 3)
            }
        }
        #expect(page.items.first?.entry.subtitle == "Daft Punk")
        #expect(page.items.first?.entry.date == "2013-05-17")
    }

    @Test func `an album by its bar code reads as one by its name`() async throws {
        let page = try await search("lookup-upc-886443927087")
        #expect(page.items.map(\.entry.title) == ["Random Access Memories"])
    }

    @Test(arguments: [
        "search-album-empty", "lookup-artists-468749-5723-2011", "search-song-jack-johnson-2015",
    ])
    func `a list without albums is an empty page`(name: String) async throws {
        #expect(try await search(name).items.isEmpty)
    }

    @Test func `the songs of an album come in order, without the video before them`() async throws {
        let id = 1_441_164_816
        let json = try Recordings.text("itunes/lookup-album-songs-\(id)")
        let api = ScriptedAPI(json: [
            "https://itunes.apple.com/lookup?id=\(id)&entity=song&limit=200": json
        ])
        let details = try await source.details(
            of: source.item(kind: "album", id: "\(id)"), api: api)
        let tracks = try #require(details.entry.tracks)
        #expect(tracks.compactMap(\.number) == [1, 2, 7, 14])
        #expect(tracks.map(\.disc).allSatisfy { $0 == 1 })
        #expect(tracks.first?.title == "I Saw Her Standing There")
        #expect(
            tracks.last
                == Track(
                    title: "Twist and Shout", disc: 1, number: 14, milliseconds: 153_225))
        #expect(details.entry.title == "Please Please Me")
        #expect(details.firstURL(for: LevelBoxes.all[2])?.contains("/Music125/") == true)
    }

    /// The recording is one of songs; its artwork is as albums had it in those years.
    @Test func `artwork of the old form is taken as it is, over https`() async throws {
        let json = try Recordings.text("itunes/search-song-jack-johnson-2015")
        let api = ScriptedAPI(json: [
            "https://itunes.apple.com/search?term=abc&entity=album&media=music&limit=200&country=US":
                json.replacing(#""wrapperType": "track""#, with: #""wrapperType": "collection""#)
        ])
        let query = try source.query(list: "albums", parameters: ["term": "abc"])
        let albums = try #require(try await source.page(query, api: api)).items
        #expect(!albums.isEmpty)
        for album in albums {
            for box in LevelBoxes.all {
                let first = try #require(album.firstURL(for: box))
                #expect(first.hasPrefix("https://is") && first.hasSuffix(".100x100-75.jpg"))
            }
        }
    }
}
