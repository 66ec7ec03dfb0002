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

    @Test(arguments: [
        (ChromaSampling.gray, FixtureImages.linearGrayProfile),
        (.whole, FixtureImages.adobeProfile), (.both, FixtureImages.wideProfile),
        (.both, FixtureImages.swappedProfile),
    ])
    func `both lanes convert a JPEG by its profile`(
        sampling: ChromaSampling, profile: [UInt8]
    ) throws {
        let canvas = canvas(width: 391, height: 417, seed: 7)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, sampling, quality: 95)
        let tagged = FixtureImages.jpeg(jpeg, profile: profile)
        #expect(try JPEGFixture.isPlanar(tagged))
        try compare(tagged)
    }

    /// Some levels are made of a half of the resolution.
    @Test func `both lanes make the same picture of a JPEG 2000`() throws {
        try compare(FixtureImages.largeJPEG2000)
    }

    private static let shapes = FixtureImages.png(width: 331, height: 257, .rgba) { x, y, band in
        if band == 3 { return x < 60 ? 0 : x > 270 ? 255 : (x - 60) * 255 / 210 }
        return (x / 40 + y / 50) % 2 == 0 ? [230, 40, 90][band] : [20, 60 + y / 3, 160][band]
    }

    /// Differences of colors count as much as they show.
    @Test(arguments: [ThumbnailFormat.jpeg, .webp])
    func `both lanes make the same picture of a transparent one`(format: ThumbnailFormat) throws {
        let png = Self.shapes
        let whole = Level(name: "whole", width: 400, height: 400)
        let webP = try render(png, .webp, .libvips, levels: [whole]).thumbnails[0].bytes
        for original in [png, webP] {
            let one = try render(original, format)
            let other = try render(original, format, .libvips)
            #expect(one.info == other.info && one.info.hasAlpha)
            for (one, other) in zip(one.thumbnails, other.thumbnails) {
                #expect(one.lane == .planar && other.lane == .libvips)
                let (one, other) = (try DecodedPixels(one.bytes), try DecodedPixels(other.bytes))
                #expect(one.info.hasAlpha == (format == .webp) && one.size == other.size)
                var sum = 0
                for y in 0..<one.size.height {
                    for x in 0..<one.size.width {
                        let (a, b) = (one.rgba(x, y), other.rgba(x, y))
                        #expect(abs(a[3] - b[3]) <= 2)
                        for band in 0..<3 {
                            let difference = a[band] * a[3] - b[band] * b[3]
                            sum += difference * difference / (255 * 255)
                        }
                    }
                }
                let mean = Double(sum) / Double(3 * one.size.area)
                #expect(mean.squareRoot() < 6, "\(mean.squareRoot())")
            }
        }
    }

    @Test func `an alpha that is opaque everywhere changes nothing`() throws {
        func png(_ color: FixtureImages.PNGColor) -> [UInt8] {
            FixtureImages.png(width: 331, height: 257, color) { x, y, band in
                band == 3 ? 255 : (x * (band + 1) + y) / 3 % 256
            }
        }
        for format in [ThumbnailFormat.jpeg, .webp] {
            let (with, without) = (try render(png(.rgba), format), try render(png(.rgb), format))
            #expect(with.thumbnails.map(\.bytes) == without.thumbnails.map(\.bytes))
            #expect(!with.info.hasAlpha)
        }
    }

    /// A child that renders it needn't load libvips.
    @Test func `libwebp decodes a WebP that doesn't move to planes`() throws {
        let webP = try canvas(width: 221, height: 237, seed: 3).encodeWebP(quality: 95)
        let header = try HeaderReader.read(webP, .webp)
        #expect(header.givesPlanes)
        var moving = header
        moving.frames = 2
        #expect(!moving.givesPlanes)
        let renditions = Self.levels.map { Rendition(level: $0, format: .jpeg) }
        let configuration = ImagingConfiguration()
        let limits = Limits(configuration)
        let render = Render(webP, header, renditions, configuration, limits)
        #expect(RenderRequest.of(.original(render), number: 1, limits).0.isPlanar)
        #expect(try render()?.thumbnails.map(\.lane) == [.planar, .planar])
        // A cut one is left to libvips, which says why it is broken.
        let cut = Array(webP.prefix(webP.count * 2 / 3))
        #expect(try Render(cut, header, renditions, configuration, limits)() == nil)
    }

    @Test func `both lanes convert a WebP by its profile`() throws {
        let webP = try canvas(width: 221, height: 237, seed: 3).encodeWebP(quality: 95)
        try compare(
            FixtureImages.webp(webP, size: (221, 237), profile: FixtureImages.adobeProfile))
    }

    @Test func `both lanes convert a PNG by its profile`() throws {
        for profile in [FixtureImages.adobeProfile, FixtureImages.swappedProfile] {
            try compare(
                FixtureImages.png(
                    width: 212, height: 167, .rgb,
                    chunks: [("iCCP", FixtureImages.iccp(profile))]
                ) { x, y, band in
                    x > 90 ? [30, 60, 200][band] : [x, y, 90][band]
                })
        }
        try compare(
            FixtureImages.png(
                width: 161, height: 203, .gray,
                chunks: [("iCCP", FixtureImages.iccp(FixtureImages.linearGrayProfile))]
            ) { x, y, _ in x > 40 ? 90 : (x * x + y * 3) / 97 % 256 })
    }

    /// Expected by formula: Display P3's primaries to sRGB's (CSS Color 4, section 10.12).
    @Test(arguments: [
        ([128, 128, 128], [128, 128, 128]), ([200, 100, 50], [215, 93, 31]),
        ([60, 140, 90], [0, 142, 85]), ([90, 90, 200], [90, 90, 207]),
    ])
    func `a patch of Display P3 has its color in sRGB`(samples: [Int], expected: [Int]) throws {
        let bytes = samples.map { UInt8($0) }
        let canvas = try Canvas(
            width: 200, height: 200, fill: RGB(red: bytes[0], green: bytes[1], blue: bytes[2]))
        let jpeg = FixtureImages.jpeg(
            try JPEGFixture.encoded(canvas.buffer, .whole, quality: 100),
            profile: FixtureImages.wideProfile)
        for format in [ThumbnailFormat.jpeg, .webp] {
            let pixel = try DecodedPixels(try render(jpeg, format).thumbnails[0].bytes).rgba(70, 70)
            #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 3 }, "\(pixel)")
        }
    }

    @Test(arguments: [
        FixtureImages.adobeProfile, FixtureImages.wideProfile, FixtureImages.swappedProfile,
    ])
    func `a profile of a matrix is applied as little CMS does, to within a rounding`(
        profile: [UInt8]
    ) throws {
        let colors = try #require(ColorTransform(profile, isGray: false))
        for bands in [3, 4] {
            let canvas = try PixelBuffer(width: 100, height: 90, bands: bands)
            for index in 0..<canvas.count {
                canvas.bytes[index] = UInt8(truncatingIfNeeded: index &* index / 11 ^ index)
            }
            let (one, other) = (canvas, try copy(canvas))
            colors.convert(one)
            colors.convertByLittleCMS(other)
            #expect(
                (0..<canvas.count).allSatisfy {
                    abs(Int(one.bytes[$0]) - Int(other.bytes[$0])) <= 1
                })
        }
    }

    private func copy(_ buffer: PixelBuffer) throws -> PixelBuffer {
        let result = try PixelBuffer(
            width: buffer.width, height: buffer.height, bands: buffer.bands)
        result.bytes.update(from: buffer.bytes, count: buffer.count)
        return result
    }

    @Test(arguments: [40, 132, 300])
    func `a JPEG with a broken profile looks as without one`(length: Int) throws {
        let jpeg = try JPEGFixture.encoded(canvas(width: 391, height: 417, seed: 3).buffer, .both)
        let tagged = FixtureImages.jpeg(
            jpeg, profile: Array(FixtureImages.adobeProfile.prefix(length)))
        #expect(try JPEGFixture.isPlanar(tagged))
        #expect(
            try render(tagged, .jpeg).thumbnails.map(\.bytes)
                == render(jpeg, .jpeg).thumbnails.map(\.bytes))
    }

    /// little CMS reads profiles of strangers.
    @Test func `only a child reads the profile of a JPEG`() throws {
        let jpeg = FixtureImages.jpeg(width: 391, height: 417)
        let tagged = FixtureImages.jpeg(jpeg, profile: FixtureImages.adobeProfile)
        for (original, isPlain) in [(jpeg, true), (tagged, false)] {
            let render = Render(
                original, try HeaderReader.read(original, .jpeg),
                Self.levels.map { Rendition(level: $0, format: .jpeg) }, ImagingConfiguration(),
                Limits(ImagingConfiguration()))
            #expect(Job.original(render).isPlainJPEG == isPlain)
        }
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
