import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct ProfileTests {
    /// Green by its samples.
    private static func jpeg() throws -> [UInt8] {
        try Canvas(width: 32, height: 32, fill: RGB(red: 0, green: 255, blue: 0)).encodeJPEG(
            quality: 95)
    }

    private static func png(_ color: FixtureImages.PNGColor, depth: Int) -> [UInt8] {
        FixtureImages.png(
            width: 8, height: 8, color, depth: depth,
            chunks: [("iCCP", FixtureImages.iccp(FixtureImages.swappedProfile))]
        ) { _, _, band in band == 1 || band == 3 ? (1 << depth) - 1 : 0 }
    }

    private static func isRed(_ pixel: [Int]) -> Bool { pixel[0] > 245 && pixel[1] < 12 }

    @Test func `a picture is converted by its profile`() throws {
        let pictures = [
            FixtureImages.jpeg(try Self.jpeg(), profile: FixtureImages.swappedProfile),
            Self.png(.rgb, depth: 8), Self.png(.rgb, depth: 16), Self.png(.rgba, depth: 8),
        ]
        for picture in pictures {
            let pixels = try DecodedPixels(picture)
            #expect(Self.isRed(pixels.rgba(4, 4)), "\(pixels.rgba(4, 4))")
        }
    }

    @Test func `a picture without a profile stays unchanged`() throws {
        let pixel = try DecodedPixels(try Self.jpeg()).rgba(4, 4)
        #expect(pixel[0] < 3 && pixel[1] > 252 && pixel[2] < 3)
    }

    @Test(arguments: [40, 200, 300])
    func `a broken profile is ignored and the picture shown`(cut: Int) throws {
        let broken = Array(FixtureImages.swappedProfile.prefix(cut))
        let pixel = try DecodedPixels(FixtureImages.jpeg(try Self.jpeg(), profile: broken)).rgba(
            4, 4)
        #expect(pixel[1] > 245, "\(pixel)")
    }

    /// A red left upper quarter, seen where turning to the left and then mirroring brings it.
    @Test(
        arguments: [
            (0, nil, (10, 5)), (1, nil, (5, 70)), (2, nil, (70, 35)), (3, nil, (35, 10)),
            (0, 0, (10, 35)), (0, 1, (70, 5)), (1, 1, (35, 70)), (3, 0, (35, 70)),
        ] as [(Int, Int?, (Int, Int))])
    func `an AVIF is turned and mirrored once`(
        quarters: Int, mirror: Int?, red: (Int, Int)
    ) async throws {
        let canvas = try Canvas(width: 80, height: 40, fill: RGB(red: 0, green: 0, blue: 255))
        canvas.rectangle(
            x: 0, y: 0, width: 40, height: 20, color: RGB(red: 255, green: 0, blue: 0))
        let renderer = try Renderer(.patient)
        let level = Level(name: "s", width: 80, height: 80)
        let made = try await renderer.render(
            try canvas.encodePNG(), [Rendition(level: level, format: .avif)])
        await renderer.shutdown()
        let avif = try #require(made.thumbnails.first).bytes
        let turned = FixtureImages.avif(avif, quarters: quarters, mirror: mirror)
        let pixels = try DecodedPixels(turned)
        let sides = quarters % 2 == 0 ? (80, 40) : (40, 80)
        #expect((pixels.size.width, pixels.size.height) == sides)
        #expect(pixels.rgba(red.0, red.1)[0] > 180)
        let opposite = (sides.0 - 1 - red.0, sides.1 - 1 - red.1)
        #expect(pixels.rgba(opposite.0, opposite.1)[2] > 180)
    }
}
