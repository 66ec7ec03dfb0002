import CTurboJPEG
import TestSupport
import Testing

@testable import Imaging

/// The planar lane beside libvips', on the same picture.
@Suite(.timeLimit(.minutes(1))) struct LaneAgreementTests {
    private static let levels = [
        Level(name: "a", width: 150, height: 150), Level(name: "b", width: 75, height: 75),
    ]

    private func render(
        _ original: [UInt8], _ format: ThumbnailFormat, _ choice: Lane.Choice = .auto,
        levels: [Level] = levels
    ) throws -> Rendering {
        var configuration = ImagingConfiguration()
        configuration.levels = levels
        configuration.jpegQuality = 95
        configuration.webpQuality = 95
        configuration.lane = choice
        return try Render.made(
            original, levels.map { Rendition(level: $0, format: format) }, configuration)
    }

    /// Root of the mean square of all samples' differences.
    private func distance(_ one: DecodedPixels, _ other: [Double]) -> Double {
        let samples = one.rgb
        #expect(samples.count == other.count)
        let sum = zip(samples, other).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - min(255, max(0, pair.1))
            return sum + difference * difference
        }
        return (sum / Double(samples.count)).squareRoot()
    }

    /// Checks that the planar lane comes at least as close to the original's pixels as libvips does; a
    /// shift by a part of a pixel would not.
    private func compare(
        _ original: [UInt8], _ formats: [ThumbnailFormat] = [.jpeg, .webp]
    ) throws {
        let whole = try DecodedPixels(original)
        let samples = whole.rgb.map(Double.init)
        let wanted = Self.levels.map { level in
            Lanczos.resampled(samples, whole.size, bands: 3, to: whole.size.fitting(level))
        }
        for format in formats {
            let one = try render(original, format)
            let other = try render(original, format, .libvips)
            #expect(one.info == other.info)
            for (want, pair) in zip(wanted, zip(one.thumbnails, other.thumbnails)) {
                let (one, other) = pair
                #expect((one.width, one.height) == (other.width, other.height))
                #expect(one.bytes != other.bytes)
                let ours = distance(try DecodedPixels(one.bytes), want)
                let theirs = distance(try DecodedPixels(other.bytes), want)
                #expect(ours < 1.15 * theirs + 0.2, "\(ours) \(theirs)")
                #expect(theirs < 1.5 * ours + 1, "\(ours) \(theirs)")
            }
            let (a, b) = (one.summary.color, other.summary.color)
            for (a, b) in [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)] {
                #expect(abs(Int(a) - Int(b)) <= 6)
            }
        }
    }

    /// A picture in which one color leads: of two that are equal, each lane may choose another.
    private func canvas(width: Int, height: Int, seed: UInt64) -> Canvas {
        let canvas = FixtureImages.canvas(width: width, height: height, seed: seed)
        canvas.rectangle(
            x: 0, y: 0, width: Double(width) * 0.4, height: Double(height),
            color: RGB(red: 30, green: 60, blue: 200))
        return canvas
    }

    /// Sides that no factor divides: the ratio of the planes isn't the picture's.
    @Test(arguments: ChromaSampling.allCases, [0, TJFLAG_PROGRESSIVE])
    func `both lanes make the same picture of every sampling`(
        sampling: ChromaSampling, flags: Int32
    ) throws {
        let canvas = canvas(width: 391, height: 417, seed: 11)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, sampling, flags: flags)
        try compare(jpeg)
    }

    @Test(arguments: 1...8, [(391, 418), (390, 417), (733, 601)])
    func `both lanes turn pictures of odd sides alike`(
        orientation: Int, size: (Int, Int)
    ) throws {
        // Hard edges of color in both directions, which a shift of one pixel would show.
        let canvas = try Canvas(
            width: size.0, height: size.1, fill: RGB(red: 20, green: 30, blue: 220))
        for index in 0..<6 {
            canvas.rectangle(
                x: Double(17 + 61 * index), y: Double(23 + 57 * index), width: 41, height: 37,
                color: RGB(red: 230, green: UInt8(30 * index), blue: 10))
        }
        let stored = try JPEGFixture.encoded(canvas.buffer, .both, quality: 97)
        let jpeg = FixtureImages.jpeg(stored, orientation: orientation)
        try compare(jpeg, [.jpeg])
    }

    /// Planes of rows that libvips decodes, of every format that may have any.
    @Test func `both lanes make the same picture of other opaque formats`() async throws {
        let canvas = canvas(width: 221, height: 237, seed: 3)
        let png = try canvas.encodePNG()
        let gray = FixtureImages.png(width: 161, height: 203, .gray) { (x: Int, y: Int, _) -> Int in
            x > 40 ? 90 : (x * x + y * 3) / 97 % 256
        }
        var samples: [UInt8] = []
        for index in 0..<212 * 167 {
            let (x, y) = (UInt8(index % 212), UInt8(index / 212))
            samples += x > 90 ? [30, 60, 200] : [x, y, 90]
        }
        let bmp = FixtureImages.bmp(width: 212, height: 167, bits: 24, pixels: samples)
        let level = Level(name: "all", width: 400, height: 420)
        let avif = try await rendered(png, [Rendition(level: level, format: .avif)])
        for original in [
            png, gray, bmp, try canvas.encodeWebP(quality: 95), avif.thumbnails[0].bytes,
        ] {
            try compare(original)
        }
    }

    @Test func `PNG and AVIF are made by libvips in either lane`() throws {
        let jpeg = FixtureImages.jpeg(width: 391, height: 417)
        for format in [ThumbnailFormat.png, .avif] {
            #expect(
                try render(jpeg, format).thumbnails.map(\.bytes)
                    == render(jpeg, format, .libvips).thumbnails.map(\.bytes))
        }
    }

    @Test(arguments: [0.3, 0.6, 0.9, 0.97])
    func `a cut picture is broken for the same reason in both lanes`(part: Double) throws {
        let whole = FixtureImages.jpeg(width: 500, height: 400)
        let jpeg = FixtureImages.truncated(whole, part: part)
        #expect(try JPEGFixture.isPlanar(jpeg))
        func reason(_ choice: Lane.Choice) -> String? {
            do {
                _ = try render(jpeg, .jpeg, choice)
                return nil
            } catch ImagingError.broken(let reason) {
                return reason
            } catch {
                return "another error: \(error)"
            }
        }
        let one = reason(.auto)
        // All threads share libvips' messages, and a render of another test may take them.
        let others = (0..<20).lazy.map { _ in reason(.libvips) }
        #expect(one != nil && others.contains(one), "\(one ?? "none") – \(others.first ?? "none")")
    }

    @Test func `a picture with an sRGB profile looks as without`() throws {
        let canvas = canvas(width: 391, height: 417, seed: 3)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, .both)
        let tagged = FixtureImages.jpeg(jpeg, profile: SRGBProfileTests.profile())
        #expect(
            try render(tagged, .jpeg).thumbnails.map(\.bytes)
                == render(jpeg, .jpeg).thumbnails.map(\.bytes))
    }

    @Test func `a picture as large as its level is encoded without resampling`() throws {
        let level = Level(name: "a", width: 128, height: 96)
        let canvas = FixtureImages.canvas(width: 128, height: 96, seed: 3)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, .both, quality: 95)
        let made = try render(jpeg, .jpeg, levels: [level]).thumbnails[0].bytes
        let want = try DecodedPixels(jpeg).rgb.map(Double.init)
        #expect(distance(try DecodedPixels(made), want) < 1.5)
    }
}
