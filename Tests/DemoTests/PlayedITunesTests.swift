import Catalog
import JSON
import PlayedAPIs
import Testing

@testable import Demo

/// iTunes is read by the product's own source.
@Suite(.timeLimit(.minutes(1))) struct PlayedITunesTests {
    private let demo: PlayedDemo
    private let source = ITunes()
    private var music: MusicCatalog { PlayedDemo.origin.music }

    init() throws { demo = try PlayedDemo() }

    private func album(_ quirk: Quirk?) throws -> DemoAlbum {
        try #require(
            music.albums.first { $0.iTunesQuirk == quirk && !$0.number.isMultiple(of: 3) })
    }

    private func chain(_ quirk: Quirk?) async throws -> [String] {
        let id = try album(quirk).iTunesID
        return try await demo.details(source, "album", "\(id)").chain.compactMap { step in
            if case .candidate(let candidate) = step { candidate.url } else { nil }
        }
    }

    @Test func `a search gives albums by artist or title, up to the limit`() async throws {
        let found = try await demo.all(source, "albums", ["term": "NIGHT"])
        #expect(found.count == PlayedITunes.albums(for: "night", in: music).count)
        #expect(found.count > 40)
        #expect(found.allSatisfy { $0.entry.subtitle != nil && $0.entry.date != nil })
        let search = "https://itunes.apple.com/search?term="
        let three = await demo.answer("\(search)night&limit=3")
        #expect(three.text.hasPrefix("\n\n\n{\"resultCount\":3,"))
        let none = await demo.answer("\(search)zzzz")
        #expect(none.text.hasSuffix(#"{"resultCount":0,"results":[]}"#))
        #expect(none.contentType == "text/javascript; charset=utf-8")
    }

    @Test func `a look-up gives the album, a video before the songs, then the songs`()
        async throws
    {
        let album = try #require(
            music.albums.first { $0.kind == .album && $0.number.isMultiple(of: 3) })
        let url = "https://itunes.apple.com/lookup?id=\(album.iTunesID)"
        let text = await demo.answer("\(url)&entity=song").text
        let video = try #require(text.firstRange(of: #""kind":"music-video""#))
        let song = try #require(text.firstRange(of: #""kind":"song""#))
        #expect(video.lowerBound < song.lowerBound)
        #expect(text.contains(#""resultCount":\#(album.tracks + 2),"#))
        let tracks = try await demo.details(source, "album", "\(album.iTunesID)").entry.tracks
        #expect(tracks?.map(\.title) == album.songs(seed: 2_013).map(\.title))
        let two = await demo.answer("\(url),17,x,\(music.albums[1].iTunesID)").text
        #expect(two.contains(#""resultCount":2,"#))
        #expect(await demo.answer("https://itunes.apple.com/other").status == 404)
    }

    @Test(arguments: [(Quirk.noPicture, 0), (.fixedArtwork, 2), (.largeGone, 3), (nil, 3)])
    func `the reader sees the quirk of an album`(quirk: Quirk?, count: Int) async throws {
        let id = try album(quirk).iTunesID
        #expect(try await demo.details(source, "album", "\(id)").chain.count == count)
    }

    /// The artwork of an album under an address that ends otherwise.
    private func get(_ quirk: Quirk?, _ end: String) async throws -> DemoAnswer {
        let url = try #require(try await chain(quirk).last { $0.contains("60x60bb.jpg") })
        return await demo.answer(url.replacing("60x60bb.jpg", with: end))
    }

    @Test(arguments: [
        ("64x64bb.jpg", 64), ("600x600bb.jpg", 600), ("90x64bb.jpg", 64),
        ("100000x100000bb.jpg", 1_500),
    ])
    func `artwork comes in any size up to its own`(end: String, side: Int) async throws {
        let answer = try await get(nil, end)
        #expect(answer.status == 200)
        #expect(answer.size == JPEGSize(side, side))
    }

    @Test(arguments: ["64x64.jpg", "0x0bb.jpg", "64x64bb.png", "64bb.jpg", "", "64x64bb.jpg/x"])
    func `an address of no size is a 404`(end: String) async throws {
        #expect(try await get(nil, end).status == 404)
    }

    @Test(arguments: [(Quirk.largeRefused, 403), (.largeGone, 404)])
    func `some large sizes are broken, small ones never`(
        quirk: Quirk, status: Int
    ) async throws {
        #expect(try await get(quirk, "601x601bb.jpg").status == status)
        #expect(try await get(quirk, "600x600bb.jpg").status == 200)
    }

    @Test func `artwork of the old form comes in its own sizes only`() async throws {
        for url in try await chain(.fixedArtwork) {
            #expect(url.contains("/mzi."))
            let pixels = url.contains("100x100") ? 100 : 60
            #expect(await demo.answer(url).size == JPEGSize(pixels, pixels))
            let other = url.replacing("\(pixels)x\(pixels)", with: "200x200")
            #expect(await demo.answer(other).status == 404)
        }
    }

    @Test func `a full-size cover weighs what real ones do`() async throws {
        for quirk: Quirk? in [nil, .largeGone, .largeRefused] {
            let bytes = try await get(quirk, "600x600bb.jpg").body
            #expect((14_000...190_000).contains(bytes.count))
        }
    }
}
