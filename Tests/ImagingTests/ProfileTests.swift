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

    /// Green by its samples, with an alpha.
    private static func tiff(_ kind: Int, _ alpha: Double, profile: [UInt8]?) -> [UInt8] {
        func bytes(_ value: Double) -> [UInt8] {
            let bits =
                kind == 3 ? Int(Float(value).bitPattern) : Int((value * 65_535).rounded())
            return (0..<(kind == 3 ? 4 : 2)).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        }
        return FixtureImages.tiff(
            samples: [0, 1, 0, alpha].map(bytes), depth: kind == 3 ? 32 : 16, format: kind,
            profile: profile)
    }

    private static func translucent(_ alpha: Int) -> [UInt8] {
        FixtureImages.png(
            width: 8, height: 8, .rgba, depth: 16,
            chunks: [("iCCP", FixtureImages.iccp(FixtureImages.swappedProfile))]
        ) { _, _, band in band == 3 ? alpha : band == 1 ? 65_535 : 0 }
    }

    @Test(arguments: [(0x0000, 0), (0x00FF, 0), (0x4000, 64), (0x80FF, 128), (0xFFFF, 255)])
    func `an alpha of 16 bits stays what it is beside a profile`(alpha: Int, bytes: Int) throws {
        let profile = FixtureImages.swappedProfile
        for picture in [
            Self.translucent(alpha), Self.tiff(1, Double(alpha) / 65_535, profile: profile),
        ] {
            let pixel = try DecodedPixels(picture).rgba(2, 2)
            #expect(pixel[3] == bytes, "\(pixel)")
            #expect(bytes == 0 || Self.isRed(pixel), "\(pixel)")
        }
        let gray = FixtureImages.png(
            width: 4, height: 4, .grayAlpha, depth: 16,
            chunks: [("iCCP", FixtureImages.iccp(profile))]
        ) { _, _, band in band == 1 ? alpha : 0x8000 }
        let pixel = try DecodedPixels(gray).rgba(2, 2)
        #expect(pixel[3] == bytes, "\(pixel)")
        #expect(bytes == 0 || pixel[0] == 128, "\(pixel)")
    }

    @Test(arguments: [(0.0, 0), (0.25, 64), (1.0, 255), (7.0, 255), (-3.0, 0)])
    func `floats are encoded as their profile says`(alpha: Double, bytes: Int) throws {
        let pixel = try DecodedPixels(
            Self.tiff(3, alpha, profile: FixtureImages.swappedProfile)
        ).rgba(2, 2)
        #expect(pixel[3] == bytes, "\(pixel)")
        #expect(bytes == 0 || Self.isRed(pixel), "\(pixel)")
    }

    /// Their decoders name a profile for each picture.
    @Test(arguments: [
        (FixtureImages.deepJPEGXL, [255, 64, 0, 128]), (FixtureImages.deepHEIC, [255, 64, 0, 128]),
        // A fifth of the light of white is 124 in sRGB.
        (FixtureImages.floatJPEGXL, [124, 124, 124, 128]),
    ])
    func `deep JPEG XL and HEIC keep their colors and their alpha`(
        picture: [UInt8], expected: [Int]
    ) throws {
        let pixel = try DecodedPixels(picture).rgba(8, 8)
        #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel)")
    }

    @Test func `floats without a profile are linear light`() throws {
        // A fifth of the light of white is 124 in sRGB: 255 × (1.055 × 0.2 ^ (1 / 2.4) - 0.055).
        let fifth = Float(0.2).bitPattern
        let sample = (0..<4).map { UInt8(truncatingIfNeeded: fifth >> (8 * $0)) }
        let picture = FixtureImages.tiff(
            samples: [sample, sample, sample], depth: 32, format: 3)
        for band in try DecodedPixels(picture).rgba(1, 1).prefix(3) {
            #expect(abs(band - 124) <= 1, "\(band)")
        }
    }

    @Test func `a GIF is transparent where its first frame doesn't reach`() throws {
        let gif = FixtureImages.gif(
            width: 8, height: 8,
            colors: (RGB(red: 255, green: 0, blue: 0), RGB(red: 0, green: 0, blue: 255)),
            area: [2, 3, 4, 2])
        let pixels = try DecodedPixels(gif)
        #expect(pixels.size == PixelSize(width: 8, height: 8))
        #expect(pixels.rgba(2, 3) == [255, 0, 0, 255] && pixels.rgba(5, 4) == [255, 0, 0, 255])
        for (x, y) in [(0, 0), (1, 3), (6, 4), (3, 2), (3, 5), (7, 7)] {
            #expect(pixels.rgba(x, y)[3] == 0, "\(x), \(y)")
        }
        #expect(pixels.info.hasAlpha)
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
        let level = Level(name: "s", width: 80, height: 80)
        let made = try await rendered(
            canvas.encodePNG(), [Rendition(level: level, format: .avif)])
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
