import Imaging
import Testing

@testable import DemoOrigin

/// Every way of drawing, small, twice.
@Suite struct DrawingTests {
    private static let music = ITunesSiteTests.music
    private static let credits = CoverCredits(music.albums[0], in: music)

    private func isDrawnAlike(_ draw: () throws -> Canvas) throws -> Bool {
        try draw().encodePNG() == draw().encodePNG()
    }

    @Test(arguments: CoverDirection.allCases)
    func `a cover is the same whenever it is drawn`(direction: CoverDirection) throws {
        #expect(
            try isDrawnAlike {
                var random = SeededRandom(seed: 3)
                return try CoverArtist(seed: 3).cover(
                    Self.credits, as: direction, &random, width: 48, height: 48)
            })
    }

    @Test(arguments: PortraitStyle.allCases)
    func `so is a portrait`(style: PortraitStyle) throws {
        #expect(
            try isDrawnAlike {
                var random = SeededRandom(seed: 3)
                return try PortraitArtist(seed: 3).picture(
                    style, members: 3, &random, width: 48, height: 64)
            })
    }

    @Test(arguments: ArtworkSubject.allCases)
    func `and an artwork`(subject: ArtworkSubject) throws {
        let object = try #require(
            RijksmuseumSiteTests.objects.objects.first { $0.subject == subject })
        let size = try #require(
            IIIFSize("!64,64", width: object.width, height: object.height, maxArea: 10_000))
        #expect(try isDrawnAlike { try ArtworkArtist(seed: 3).artwork(object, size) })
    }

    @Test func `each of a film's posters is another picture`() throws {
        let film = TMDBSiteTests.films.film(0)
        let artist = FilmArtist(seed: 3)
        func poster(_ variant: Int) throws -> [UInt8] {
            try artist.poster(film, variant: variant, width: 40, height: 60).encodePNG()
        }
        #expect(try poster(0) == poster(0))
        #expect(try Set([poster(0), poster(1), poster(2)]).count == 3)
    }

    @Test(arguments: [(1, 1), (3, 200), (200, 3)])
    func `no shape is too odd to draw in`(width: Int, height: Int) throws {
        for direction in CoverDirection.allCases {
            var random = SeededRandom(seed: 3)
            let canvas = try CoverArtist(seed: 3).cover(
                Self.credits, as: direction, &random, width: width, height: height)
            #expect(canvas.width == width && canvas.height == height)
        }
    }
}
