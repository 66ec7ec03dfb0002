import Imaging
import Logging
import PlayedAPIs
import Testing

@testable import Demo

@Suite(.timeLimit(.minutes(1))) struct TVMazePictureSiteTests {
    let catalog = ShowCatalogTests.catalog
    let site = TVMazePictureSite(
        catalog: ShowCatalogTests.catalog, artist: Artist(seed: 2_013),
        pictures: PictureAnswers.forTests())

    private func show(_ quirk: TVMazeQuirk?) throws -> DemoShow {
        try #require(catalog.shows.first { $0.quirk == quirk })
    }

    private func get(
        _ show: DemoShow, _ slot: TVMazePicture.Slot = .mainPoster,
        _ size: TVMazePicture.Size = .original
    ) async -> DemoAnswer {
        await site.answer(
            DemoRequest(path: TVMazePicture(show: show.id, slot: slot, size: size).path))
    }

    @Test func `originals and mediums have the sizes and weights of real ones`() async throws {
        for show in catalog.shows.filter({ $0.quirk == nil }).prefix(24) {
            let original = await get(show)
            #expect(original.status == 200)
            #expect(JPEGSize(original.body) == JPEGSize(width: 680, height: 1_000))
            #expect((60_000...250_000).contains(original.body.count), "show \(show.id)")
            let medium = await get(show, .mainPoster, .portrait)
            #expect(JPEGSize(medium.body) == JPEGSize(width: 210, height: 295))
            #expect((8_000...28_000).contains(medium.body.count), "show \(show.id)")
        }
    }

    @Test(arguments: [
        (TVMazePicture.Slot.otherPoster, TVMazePicture.Size.portrait, 210, 295),
        (.background, .original, 1_280, 720), (.banner, .original, 758, 140),
        (.banner, .leaderboard, 758, 140), (.unclassified, .original, 700, 467),
    ])
    func `other pictures have their own shapes`(
        slot: TVMazePicture.Slot, size: TVMazePicture.Size, width: Int, height: Int
    ) async throws {
        let answer = await get(try show(nil), slot, size)
        #expect(JPEGSize(answer.body) == JPEGSize(width: width, height: height))
    }

    @Test func `a cut original is the beginning of a picture and its medium is whole`()
        async throws
    {
        let show = try show(.originalCut)
        let answer = await get(show)
        #expect(answer.status == 200)
        #expect(answer.contentType == "image/jpeg")
        #expect(JPEGSize(answer.body) == JPEGSize(width: 680, height: 1_000))
        #expect(answer.body.suffix(2) != [0xFF, 0xD9])
        let medium = await get(show, .mainPoster, .portrait)
        #expect(medium.body.suffix(2) == [0xFF, 0xD9])
    }

    @Test func `an original can be an HTML page with status 200`() async throws {
        let show = try show(.originalHTML)
        let answer = await get(show)
        #expect(answer.status == 200)
        #expect(answer.contentType == "text/html")
        #expect(JPEGSize(answer.body) == nil)
        #expect(JPEGSize(await get(show, .mainPoster, .portrait).body) != nil)
    }

    @Test(arguments: [
        (TVMazeQuirk.mediumNull, 200), (.mediumMissing, 200), (.mediumGone, 200),
        (.noPicture, 404),
    ])
    func `a medium that isn't there is a 404`(quirk: TVMazeQuirk, original: Int)
        async throws
    {
        let show = try show(quirk)
        #expect(await get(show, .mainPoster, .portrait).status == 404)
        #expect(await get(show).status == original)
    }

    @Test(arguments: [
        "/", "/uploads/images/original_untouched/4/99990.jpg", "/favicon.ico",
        "/uploads/images/medium_portrait/0/12.jpg",
    ])
    func `an unknown path is a 404`(path: String) async {
        #expect(await site.answer(DemoRequest(path: path)).status == 404)
    }

    @Test func `a matching validator is answered with 304 and without drawing`() async throws {
        let name = TVMazePicture(show: try show(nil).id, slot: .mainPoster, size: .original)
        let fields = await site.answer(DemoRequest(path: name.path)).fields
        let tag = try #require(fields["ETag"])
        let date = try #require(fields["Last-Modified"])
        let drawn = await site.pictures.store.drawings
        var request = DemoRequest(path: name.path)
        for given in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            request.ifNoneMatch = given
            let answer = await site.answer(request)
            #expect(answer.status == 304, "\(given)")
            #expect(answer.body.isEmpty)
            #expect(answer.fields["ETag"] == tag)
        }
        request.ifNoneMatch = nil
        request.ifModifiedSince = date
        #expect(await site.answer(request).status == 304)
        request.ifNoneMatch = "\"other\""
        #expect(await site.answer(request).status == 200)
        #expect(await site.pictures.store.drawings == drawn)
    }

    @Test func `equal seeds draw equal bytes, whatever was drawn before`() async throws {
        let show = try show(nil)
        func poster(_ seed: UInt64, _ slot: TVMazePicture.Slot = .mainPoster) throws -> [UInt8] {
            try Artist(seed: seed).poster(of: show, slot).draw(width: 68, height: 100).encodePNG()
        }
        let first = try poster(5)
        _ = try poster(5, .banner)
        #expect(try poster(5) == first)
        #expect(try poster(6) != first)
    }
}

extension PictureAnswers {
    /// With a store of its own.
    static func forTests() -> PictureAnswers {
        PictureAnswers(
            seed: 2_013, store: PictureStore(maxBytes: 64 << 20), logger: Logger(label: "test"))
    }
}

/// Width and height out of a JPEG's frame header.
struct JPEGSize: Equatable {
    var width: Int
    var height: Int

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Returns `nil` if the bytes are not a JPEG.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: [0xFF, 0xD8]) else { return nil }
        var position = 2
        while position + 9 < bytes.count, bytes[position] == 0xFF {
            func word(_ offset: Int) -> Int {
                Int(bytes[position + offset]) << 8 | Int(bytes[position + offset + 1])
            }
            if [0xC0, 0xC1, 0xC2].contains(bytes[position + 1]) {
                self.init(width: word(7), height: word(5))
                return
            }
            position += 2 + word(2)
        }
        return nil
    }
}
