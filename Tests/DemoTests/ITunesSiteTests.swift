import Catalog
import PlayedAPIs
import Testing

@testable import Demo

/// iTunes is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct ITunesSiteTests {
    static let music = MusicCatalog(seed: 2_013, artists: 64)
    let site = ITunesAPISite(catalog: music)
    let artwork = ITunesArtworkSite(
        catalog: music, artist: Artist(seed: 2_013), pictures: .forTests())
    let source = ITunes()

    private var music: MusicCatalog { Self.music }

    private func album(_ quirk: ITunesQuirk?) throws -> DemoAlbum {
        try #require(music.albums.first { ITunesQuirk(album: $0.number) == quirk })
    }

    private func details(_ album: DemoAlbum) async throws -> ItemDetails {
        try await source.details(
            of: source.item(kind: "album", id: "\(album.iTunesID)"), api: PlayedAPI(sites: [site]))
    }

    @Test func `equal seeds give equal musicians, and other seeds others`() {
        let again = MusicCatalog(seed: 2_013, artists: 64)
        #expect(again.albums == music.albums && again.artists == music.artists)
        #expect(MusicCatalog(seed: 2_014, artists: 64).albums != music.albums)
        #expect(Array(music.artists.prefix(9)) == MusicCatalog(seed: 2_013, artists: 9).artists)
        #expect(Set(music.artists.map(\.name)).count == 64)
        #expect(music.artists.flatMap(\.albums).sorted() == Array(music.albums.indices))
    }

    @Test func `each quirk is rare, and there is some of each`() {
        for quirk in ITunesQuirk.allCases {
            let count = music.albums.count { ITunesQuirk(album: $0.number) == quirk }
            #expect((3...45).contains(count), "\(quirk)")
        }
    }

    @Test func `a search gives albums by artist or title, up to the limit`() async throws {
        let query = try source.query(list: "albums", parameters: ["term": "NIGHT"])
        let page = try #require(
            try await source.page(query, api: PlayedAPI(sites: [site])))
        #expect(page.items.count == site.albums(for: "night").count)
        #expect(page.items.count > 40)
        #expect(page.items.allSatisfy { $0.entry.subtitle != nil && $0.entry.date != nil })
        let request = DemoRequest(url: "https://itunes.apple.com/search?term=night&limit=3")
        #expect(site.answer(request).text.hasPrefix("\n\n\n{\"resultCount\":3,"))
        let none = DemoRequest(url: "https://itunes.apple.com/search?term=zzzz")
        #expect(site.answer(none).text.hasSuffix(#"{"resultCount":0,"results":[]}"#))
        #expect(site.answer(none).contentType == "text/javascript; charset=utf-8")
    }

    @Test func `a look-up gives the album, a video before the songs, then the songs`()
        async throws
    {
        let album = try #require(music.albums.first { $0.hasVideo })
        let url = "https://itunes.apple.com/lookup?id=\(album.iTunesID)&entity=song"
        let text = site.answer(DemoRequest(url: url)).text
        let video = try #require(text.firstRange(of: #""kind":"music-video""#))
        let song = try #require(text.firstRange(of: #""kind":"song""#))
        #expect(video.lowerBound < song.lowerBound)
        #expect(text.contains(#""resultCount":\#(album.tracks + 2),"#))
        let tracks = try #require(try await details(album).entry.tracks)
        #expect(tracks.map(\.title) == album.songs(seed: 2_013).map(\.title))
    }

    @Test func `look-ups take several ids, artists and product codes, and leave out the unknown`() {
        func count(_ query: String) -> Substring {
            let text = site.answer(DemoRequest(url: "https://itunes.apple.com/lookup?\(query)"))
                .text
            return text.drop { !$0.isNumber }.prefix { $0.isNumber }
        }
        let (one, two) = (music.albums[0], music.albums[1])
        #expect(count("id=\(one.iTunesID),\(two.iTunesID),17") == "2")
        #expect(count("id=\(music.artists[0].iTunesID)") == "1")
        #expect(count("upc=\(two.upc)") == "1")
        #expect(count("id=x") == "0")
        #expect(site.answer(DemoRequest(url: "https://itunes.apple.com/other")).status == 404)
    }

    @Test func `the reader sees the quirk of an album`() async throws {
        #expect(try await details(album(.noArtwork)).chain.isEmpty)
        #expect(try await details(album(.fixedArtwork)).chain.count == 2)
        for quirk in [ITunesQuirk.largeGone, .largeRefused, nil] {
            #expect(try await details(album(quirk)).chain.count == 3)
        }
    }

    private func get(_ album: DemoAlbum, _ end: String) async -> DemoAnswer {
        let url = ITunesArtwork(album: album.number).url(100)
        return await artwork.answer(
            DemoRequest(url: url.replacing("100x100bb.jpg", with: end)))
    }

    @Test(arguments: [
        ("64x64bb.jpg", 64), ("600x600bb.jpg", 600), ("90x64bb.jpg", 64),
        ("100000x100000bb.jpg", 1_500),
    ])
    func `artwork comes in any size up to its own`(end: String, side: Int) async throws {
        let album = try #require(
            music.albums.first {
                ITunesQuirk(album: $0.number) == nil && $0.number % 3 != 0
            })
        let answer = await get(album, end)
        #expect(answer.status == 200)
        #expect(JPEGSize(answer.body) == JPEGSize(width: side, height: side))
    }

    @Test(arguments: [
        ("64x64bb.png", "image/png", [0x89, 0x50]), ("64x64bb.webp", "image/webp", [0x52, 0x49]),
    ])
    func `and in other formats`(end: String, type: String, magic: [UInt8]) async throws {
        let answer = await get(try album(nil), end)
        #expect(answer.contentType == type)
        #expect(answer.body.starts(with: magic))
    }

    @Test(arguments: ["64x64.jpg", "0x0bb.jpg", "64x64bb.gif", "64bb.jpg", "", "64x64bb.jpg/x"])
    func `an address of no size is a 404`(end: String) async throws {
        #expect(await get(try album(nil), end).status == 404)
    }

    @Test(arguments: [(ITunesQuirk.largeRefused, 403), (.largeGone, 404)])
    func `some large sizes are broken, small ones never`(
        quirk: ITunesQuirk, status: Int
    ) async throws {
        let album = try album(quirk)
        #expect(await get(album, "601x601bb.jpg").status == status)
        #expect(await get(album, "600x600bb.jpg").status == 200)
    }

    @Test func `artwork of the old form comes in its own sizes only`() async throws {
        let album = try album(.fixedArtwork)
        for pixels in [60, 100] {
            let url = ITunesArtwork(album: album.number).url(pixels)
            #expect(url.contains("/mzi."))
            let answer = await artwork.answer(DemoRequest(url: url))
            #expect(JPEGSize(answer.body) == JPEGSize(width: pixels, height: pixels))
            let other = url.replacing("\(pixels)x\(pixels)", with: "200x200")
            #expect(await artwork.answer(DemoRequest(url: other)).status == 404)
        }
    }

    @Test func `an album without artwork has none under any address`() async throws {
        #expect(await get(try album(.noArtwork), "64x64bb.jpg").status == 404)
    }

    @Test func `a full-size cover weighs what real ones do`() async throws {
        for album in music.albums.filter({ ITunesQuirk(album: $0.number) == nil }).prefix(8) {
            let bytes = await get(album, "600x600bb.jpg").body
            #expect((14_000...190_000).contains(bytes.count), "album \(album.number)")
        }
    }

    @Test func `albums have the fields that were recorded`() throws {
        let search = DemoRequest(url: "https://itunes.apple.com/search?term=night")
        let album = try #require(music.albums.first { $0.hasVideo })
        let lookUp = DemoRequest(
            url: "https://itunes.apple.com/lookup?id=\(album.iTunesID)&entity=song")
        let artist = DemoRequest(
            url: "https://itunes.apple.com/lookup?id=\(music.artists[0].iTunesID)")
        for (request, name, missing) in [
            (search, "search-album-daft-punk-random-access-memories", []),
            (lookUp, "lookup-album-songs-1441164816", []),
            (artist, "lookup-artists-468749-5723-2011", ["results[].amgVideoArtistId"]),
        ] {
            guard let recorded = try RecordedShape(recording: "itunes/\(name).json") else { return }
            let played = try RecordedShape(site.answer(request).body)
            #expect(recorded.paths.subtracting(played.paths).sorted() == missing, "\(name)")
        }
    }
}
