import TestSupport
import Testing

@testable import Imaging

/// Levels that crop, and the ground for pictures that must not be cropped.
@Suite(.timeLimit(.minutes(1))) struct CoverTests {
    private static func tile(
        _ gravity: Level.Gravity, width: Int = 60, height: Int = 60, _ name: String = "tile"
    ) -> Level {
        Level(name: name, width: width, height: height, fit: .cover(gravity))
    }

    /// 120×60: red, green and blue columns of 40 pixels.
    private static let columns = FixtureImages.png(width: 120, height: 60) { x, _, band in
        x / 40 == band ? 255 : 0
    }

    private func render(
        _ bytes: [UInt8], _ levels: [Level], _ format: ThumbnailFormat = .png
    ) throws -> Rendering {
        var configuration = ImagingConfiguration()
        configuration.levels = levels
        configuration.jpegQuality = 95
        return try Render.made(
            bytes, levels.map { Rendition(level: $0, format: format) }, configuration)
    }

    @Test(arguments: [
        // Larger than the box: the whole covers it, the thumbnail is the box.
        (1_000, 500, 480, 240, 240, 240), (500, 1_000, 240, 480, 240, 240),
        (241, 999, 240, 995, 240, 240), (240, 240, 240, 240, 240, 240),
        // Smaller: cropped to the shape, and not enlarged.
        (100, 50, 100, 50, 50, 50), (50, 100, 50, 100, 50, 50), (1_000, 100, 1_000, 100, 100, 100),
        (100, 100, 100, 100, 100, 100), (1, 65_535, 1, 65_535, 1, 1), (3, 2, 3, 2, 2, 2),
    ])
    func `a picture covers the box and is never enlarged`(
        width: Int, height: Int, wholeWidth: Int, wholeHeight: Int, toWidth: Int, toHeight: Int
    ) {
        let framing = Framing(
            Self.tile(.center, width: 240, height: 240), of: PixelSize(width: width, height: height)
        )
        #expect(framing.whole == PixelSize(width: wholeWidth, height: wholeHeight))
        #expect(framing.size == PixelSize(width: toWidth, height: toHeight))
    }

    @Test func `every size of picture gives a part that is in it, and the shape of the box`() {
        let level = Self.tile(.center, width: 160, height: 240)
        for width in stride(from: 1, to: 3_000, by: 97) {
            for height in stride(from: 1, to: 3_000, by: 89) {
                let framing = Framing(level, of: PixelSize(width: width, height: height))
                let (whole, part) = (framing.whole, framing.size)
                #expect(whole.width <= width && whole.height <= height)
                #expect(part.width <= whole.width && part.height <= whole.height)
                #expect(part.width <= 160 && part.height <= 240)
                // To within a pixel.
                #expect(abs(part.width * 240 - part.height * 160) <= 240)
            }
        }
    }

    @Test(arguments: [
        (Level.Gravity.left, [255, 0, 0]), (.right, [0, 0, 255]), (.center, [0, 255, 0]),
        (.top, [0, 255, 0]), (.topLeft, [255, 0, 0]), (.bottomRight, [0, 0, 255]),
    ])
    func `gravity says which part stays`(gravity: Level.Gravity, color: [Int]) throws {
        let level = Self.tile(gravity, width: 40, height: 60)
        let made = try render(Self.columns, [level]).thumbnails[0]
        #expect((made.width, made.height) == (40, 60))
        let pixels = try DecodedPixels(made.bytes)
        #expect(pixels.size == PixelSize(width: 40, height: 60))
        for (x, y) in [(0, 0), (39, 0), (20, 30), (0, 59), (39, 59)] {
            #expect(pixels.rgba(x, y) == color + [255])
        }
    }

    @Test(arguments: [
        (Level.Gravity.top, 0), (.topRight, 0), (.bottom, 60), (.bottomLeft, 60), (.center, 30),
        (.left, 30), (.right, 30),
    ])
    func `gravity says which part of a high picture stays`(gravity: Level.Gravity, top: Int) throws
    {
        let rows = FixtureImages.png(width: 60, height: 120) { _, y, _ in y * 2 }
        let made = try render(rows, [Self.tile(gravity)]).thumbnails[0]
        #expect(try DecodedPixels(made.bytes).rgba(30, 0)[0] == top * 2)
    }

    @Test(arguments: [Level.Gravity.attention, .entropy])
    func `the part that draws the eye stays`(gravity: Level.Gravity) throws {
        // Gray, with a patch of colored noise at the right.
        let picture = FixtureImages.png(width: 300, height: 100) { x, y, band in
            x >= 220 && x < 280 && (20..<80).contains(y)
                ? (x &* 7919 ^ y &* 104_729 ^ band &* 31) & 0xFF : 128
        }
        let level = Self.tile(gravity, width: 100, height: 100)
        let pixels = try DecodedPixels(try render(picture, [level]).thumbnails[0].bytes)
        let original = try DecodedPixels(picture)
        let left = (0...200).first { left in
            [0, 20, 50, 80, 99].allSatisfy { x in
                pixels.rgba(x, 50) == original.rgba(left + x, 50)
                    && pixels.rgba(x, 70) == original.rgba(left + x, 70)
            }
        }
        #expect(try #require(left) > 150)
    }

    @Test(arguments: [Level.Gravity.center, .topLeft, .bottomRight, .right])
    func `both lanes cut the same part`(gravity: Level.Gravity) throws {
        for orientation in [1, 6] {
            let jpeg = FixtureImages.jpeg(
                FixtureImages.jpeg(width: 401, height: 307), orientation: orientation)
            let general = JPEGFixture.general(jpeg)
            #expect(try JPEGFixture.isPlanar(jpeg) && !JPEGFixture.isPlanar(general))
            let level = Self.tile(gravity, width: 75, height: 75)
            for format in [ThumbnailFormat.jpeg, .webp] {
                let one = try render(jpeg, [level], format).thumbnails[0]
                let other = try render(general, [level], format).thumbnails[0]
                #expect((one.width, one.height) == (75, 75) && other.width == 75)
                let (a, b) = (
                    try DecodedPixels(one.bytes).means, try DecodedPixels(other.bytes).means
                )
                for (a, b) in zip(a, b) { #expect(abs(a - b) < 3, "\(gravity) \(format)") }
                // A part two pixels away differs more than the lanes do.
                #expect(
                    try distance(one, other) < 12, "\(gravity) \(format) \(orientation)")
            }
        }
    }

    private func distance(_ one: Thumbnail, _ other: Thumbnail) throws -> Double {
        let (one, other) = (
            try DecodedPixels(one.bytes).buffer, try DecodedPixels(other.bytes).buffer
        )
        #expect(one.count == other.count)
        let sum = (0..<one.count).reduce(0) { sum, index in
            let difference = Int(one.bytes[index]) - Int(other.bytes[index])
            return sum + difference * difference
        }
        return (Double(sum) / Double(one.count)).squareRoot()
    }

    @Test func `pictures that must not be cropped stand whole on a ground of their color`() throws {
        // A green picture with a red frame of two pixels, which stays.
        let picture = FixtureImages.png(width: 100, height: 50) { x, y, band in
            let isFrame = x < 2 || y < 2 || x >= 98 || y >= 48
            return band == (isFrame ? 0 : 1) ? 200 : 0
        }
        let level = Self.tile(.attention).uncropped
        #expect(level.fit == .ground)
        let made = try render(picture, [level]).thumbnails[0]
        let pixels = try DecodedPixels(made.bytes)
        #expect(pixels.size == PixelSize(width: 60, height: 60))
        let ground = pixels.rgba(30, 2)
        #expect(abs(ground[1] - 200) <= 8 && ground[0] <= 8 && ground[2] <= 8)
        #expect(pixels.rgba(30, 57) == ground)
        // 60×30 in the middle, from an even row on.
        #expect(pixels.rgba(30, 14)[0] > 60 && pixels.rgba(0, 30)[0] > 60)
        #expect(pixels.rgba(59, 30)[0] > 60)
        // A small picture is not enlarged, and its ground has the shape of the box.
        let small = FixtureImages.png(width: 20, height: 10) { _, _, _ in 90 }
        #expect(
            try DecodedPixels(try render(small, [level]).thumbnails[0].bytes).size
                == PixelSize(width: 20, height: 20))
        let clear = FixtureImages.png(width: 20, height: 10, .rgba) { _, _, band in
            band == 3 ? 128 : 90
        }
        #expect(try DecodedPixels(try render(clear, [level]).thumbnails[0].bytes).buffer.bands == 3)
    }

    @Test func `the summary shows the picture and not the part`() throws {
        let contain = Level(name: "s", width: 60, height: 60)
        let whole = try render(Self.columns, [contain]).summary
        let part = try render(Self.columns, [Self.tile(.left, width: 40, height: 60)]).summary
        #expect((part.width, part.height) == (120, 60))
        #expect(part.thumbHash.count == whole.thumbHash.count)
        #expect(part.thumbHash.count > 0 && part.thumbHash[0] == whole.thumbHash[0])
    }

    // MARK: - Same bytes

    private static let levels = [
        Level(name: "s", width: 40, height: 60), tile(.center), tile(.attention, "smart"),
        tile(.top, width: 90, height: 50, "wide").uncropped,
    ]

    @Test(arguments: [0, 1, 2])
    func `every subset of cropped levels in every order gives the same bytes`(
        original: Int
    ) async throws {
        let jpeg = FixtureImages.jpeg(width: 251, height: 353)
        let bytes = [
            jpeg, JPEGFixture.general(jpeg),
            FixtureImages.png(width: 103, height: 151) { x, y, band in x * (band + 1) ^ y },
        ][original]
        var configuration = ImagingConfiguration.patient
        configuration.levels = Self.levels
        let renderer = try Renderer(configuration)
        var digests: [Rendition: Set<String>] = [:]
        for bits in 1..<16 {
            let chosen = Self.levels.indices.filter { bits >> $0 & 1 == 1 }.map { Self.levels[$0] }
            for levels in [chosen, chosen.reversed()] {
                for formats in [[ThumbnailFormat.jpeg], [.webp, .png, .jpeg]] {
                    let renditions = levels.flatMap { level in
                        formats.map { Rendition(level: level, format: $0) }
                    }
                    for made in try await renderer.render(bytes, renditions).thumbnails {
                        digests[made.rendition, default: []].insert(Fingerprint.hex(made.bytes))
                    }
                }
            }
        }
        await renderer.shutdown()
        #expect(digests.count == 12)
        for (rendition, digests) in digests { #expect(digests.count == 1, "\(rendition)") }
    }

    @Test func `a child process makes the same bytes`() async throws {
        let jpeg = FixtureImages.jpeg(width: 501, height: 703)
        let renditions = Self.levels.map { Rendition(level: $0, format: .webp) }
        func made(_ policy: IsolationPolicy) async throws -> [[UInt8]] {
            let configuration = ImagingConfiguration.isolated(policy).with {
                $0.levels = Self.levels
            }
            return try await rendered(jpeg, renditions, configuration).thumbnails.map(\.bytes)
        }
        let inside = try await made(.inside)
        #expect(inside.count == 4)
        #expect(try await made(.child()) == inside)
    }

    @Test func `fit and gravity are part of the fingerprint, and those of other levels are not`() {
        func recipe(_ level: Level, _ levels: [Level]) -> String {
            var configuration = ImagingConfiguration()
            configuration.levels = levels
            return configuration.recipe(for: Rendition(level: level, format: .jpeg))
        }
        let contain = Level(name: "tile", width: 60, height: 60)
        let all = [contain, Self.tile(.center), Self.tile(.top), contain].map { level in
            recipe(level, [level])
        }
        #expect(Set(all).count == 3 && all[0] == all[3])
        let tile = Self.tile(.center)
        #expect(recipe(tile.uncropped, [tile]) != recipe(tile, [tile]))
        // The gravity of a larger level decides nothing of a smaller one; that it covers does.
        let large = { (fit: Level.Fit) in Level(name: "l", width: 200, height: 300, fit: fit) }
        let small = Level(name: "s", width: 40, height: 60)
        #expect(
            recipe(small, [small, large(.cover(.top))])
                == recipe(small, [small, large(.cover(.bottom))]))
        #expect(
            recipe(small, [small, large(.cover(.top))]) != recipe(small, [small, large(.contain)]))
    }
}
