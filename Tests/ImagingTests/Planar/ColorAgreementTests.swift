import TestSupport
import Testing

@testable import Imaging

/// Profiles, alpha and CMYK in the planar lane beside libvips'.
@Suite(.timeLimit(.minutes(1))) struct ColorAgreementTests {
    @Test func `a picture with an sRGB profile looks as without`() throws {
        let canvas = LaneComparison.canvas(width: 195, height: 209, seed: 3)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, .both)
        let tagged = FixtureImages.jpeg(jpeg, profile: SRGBProfileTests.profile())
        #expect(
            try LaneComparison.render(tagged, .jpeg).thumbnails.map(\.bytes)
                == LaneComparison.render(jpeg, .jpeg).thumbnails.map(\.bytes))
    }

    @Test(arguments: [
        (ChromaSampling.gray, FixtureImages.linearGrayProfile),
        (.whole, FixtureImages.adobeProfile), (.both, FixtureImages.wideProfile),
        (.both, FixtureImages.swappedProfile),
    ])
    func `both lanes convert a JPEG by its profile`(
        sampling: ChromaSampling, profile: [UInt8]
    ) throws {
        let canvas = LaneComparison.canvas(width: 195, height: 209, seed: 7)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, sampling, quality: 95)
        let tagged = FixtureImages.jpeg(jpeg, profile: profile)
        #expect(try JPEGFixture.isPlanar(tagged))
        try LaneComparison.compare(tagged)
    }

    private static let shapes = FixtureImages.png(width: 167, height: 129, .rgba) { x, y, band in
        if band == 3 { return x < 30 ? 0 : x > 135 ? 255 : (x - 30) * 255 / 105 }
        return (x / 20 + y / 25) % 2 == 0 ? [230, 40, 90][band] : [20, 60 + y / 3, 160][band]
    }

    /// Differences of colors count as much as they show.
    @Test(arguments: [ThumbnailFormat.jpeg, .webp])
    func `both lanes make the same picture of a transparent one`(format: ThumbnailFormat) throws {
        let png = Self.shapes
        let whole = Level(name: "whole", width: 400, height: 400)
        let webP = try LaneComparison.render(png, .webp, .libvips, levels: [whole]).thumbnails[0]
            .bytes
        for original in [png, webP] {
            let one = try LaneComparison.render(original, format)
            let other = try LaneComparison.render(original, format, .libvips)
            #expect(one.info == other.info && one.info.hasAlpha)
            for (one, other) in zip(one.thumbnails, other.thumbnails) {
                #expect(one.lane == .planar && other.lane == .libvips)
                let (one, other) = (try DecodedPixels(one.bytes), try DecodedPixels(other.bytes))
                #expect(one.info.hasAlpha == (format == .webp) && one.size == other.size)
                var (sum, most) = (0, 0)
                for y in 0..<one.size.height {
                    for x in 0..<one.size.width {
                        let (a, b) = (one.rgba(x, y), other.rgba(x, y))
                        most = max(most, abs(a[3] - b[3]))
                        for band in 0..<3 {
                            let difference = a[band] * a[3] - b[band] * b[3]
                            sum += difference * difference / (255 * 255)
                        }
                    }
                }
                #expect(most <= 2)
                let mean = Double(sum) / Double(3 * one.size.area)
                #expect(mean.squareRoot() < 6, "\(mean.squareRoot())")
            }
        }
    }

    @Test func `an alpha that is opaque everywhere changes nothing`() throws {
        func png(_ color: FixtureImages.PNGColor) -> [UInt8] {
            FixtureImages.png(width: 167, height: 129, color) { x, y, band in
                band == 3 ? 255 : (x * (band + 1) + y) / 3 % 256
            }
        }
        for format in [ThumbnailFormat.jpeg, .webp] {
            let (with, without) = (
                try LaneComparison.render(png(.rgba), format),
                try LaneComparison.render(png(.rgb), format)
            )
            #expect(with.thumbnails.map(\.bytes) == without.thumbnails.map(\.bytes))
            #expect(!with.info.hasAlpha)
        }
    }

    @Test func `both lanes convert a WebP by its profile`() throws {
        let webP = try LaneComparison.canvas(width: 121, height: 137, seed: 3).encodeWebP(
            quality: 95)
        try LaneComparison.compare(
            FixtureImages.webp(webP, size: (121, 137), profile: FixtureImages.adobeProfile))
    }

    @Test func `both lanes convert a PNG by its profile`() throws {
        for profile in [FixtureImages.adobeProfile, FixtureImages.swappedProfile] {
            try LaneComparison.compare(
                FixtureImages.png(
                    width: 212, height: 167, .rgb,
                    chunks: [("iCCP", FixtureImages.iccp(profile))]
                ) { x, y, band in
                    x > 90 ? [30, 60, 200][band] : [x, y, 90][band]
                })
        }
        try LaneComparison.compare(
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
            let pixel = try DecodedPixels(
                try LaneComparison.render(jpeg, format).thumbnails[0].bytes
            ).rgba(70, 70)
            #expect(zip(pixel, expected).allSatisfy { abs($0 - $1) <= 3 }, "\(pixel)")
        }
    }

    @Test(arguments: [
        FixtureImages.adobeProfile, FixtureImages.wideProfile, FixtureImages.swappedProfile,
    ])
    func `a profile of a matrix is applied as little CMS does, to within a rounding`(
        profile: [UInt8]
    ) throws {
        let colors = try #require(ColorTransform(profile, .rgb))
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
        let jpeg = try JPEGFixture.encoded(
            LaneComparison.canvas(width: 195, height: 209, seed: 3).buffer, .both)
        let tagged = FixtureImages.jpeg(
            jpeg, profile: Array(FixtureImages.adobeProfile.prefix(length)))
        #expect(try JPEGFixture.isPlanar(tagged))
        #expect(
            try LaneComparison.render(tagged, .jpeg).thumbnails.map(\.bytes)
                == LaneComparison.render(jpeg, .jpeg).thumbnails.map(\.bytes))
    }

    /// little CMS reads profiles of strangers.
    @Test func `only a child reads the profile of a JPEG`() throws {
        let jpeg = FixtureImages.jpeg(width: 391, height: 417)
        let tagged = FixtureImages.jpeg(jpeg, profile: FixtureImages.adobeProfile)
        for (original, isPlain) in [(jpeg, true), (tagged, false)] {
            let render = Render(
                original, try HeaderReader.read(original, .jpeg),
                LaneComparison.levels.map { Rendition(level: $0, format: .jpeg) },
                ImagingConfiguration(),
                Limits(ImagingConfiguration()))
            #expect(Job.original(render).isPlainJPEG == isPlain)
        }
    }

    /// One has libvips' own profile, the other none.
    @Test(arguments: ["", ",strip"])
    func `both lanes make the same picture of CMYK`(options: String) throws {
        let canvas = LaneComparison.canvas(width: 195, height: 209, seed: 5)
        let jpeg = try canvas.file(".jpg[Q=95\(options)]", .ink)
        let header = try HeaderReader.read(jpeg, .jpeg)
        #expect(header.isInk && header.planes == nil)
        try LaneComparison.compare(jpeg)
        for orientation in [2, 6] {
            try LaneComparison.compare(
                FixtureImages.jpeg(jpeg, orientation: orientation), [.jpeg])
        }
    }

    @Test func `CMYK with a broken profile is converted by libvips' own`() throws {
        let canvas = LaneComparison.canvas(width: 195, height: 209, seed: 5)
        let jpeg = try canvas.file(".jpg[Q=95,strip]", .ink)
        let ink = try #require(VipsPicture.inkProfile)
        let broken = FixtureImages.jpeg(jpeg, profile: Array(ink.prefix(1_000)))
        #expect(
            try LaneComparison.render(broken, .jpeg).thumbnails.map(\.bytes)
                == LaneComparison.render(jpeg, .jpeg).thumbnails.map(\.bytes))
    }

    /// Colors that change at every pixel, which planes at 4:2:0 don't have.
    @Test func `a profile is applied to the pixels of a picture that is hardly made smaller`()
        throws
    {
        let png = FixtureImages.png(
            width: 60, height: 60, .rgb,
            chunks: [("iCCP", FixtureImages.iccp(FixtureImages.wideProfile))]
        ) { x, y, band in (x + y) % 2 == 0 ? [255, 40, 0][band] : [0, 90, 255][band] }
        let level = [Level(name: "same", width: 60, height: 60)]
        func means(_ choice: Lane.Choice) throws -> [Double] {
            try DecodedPixels(
                LaneComparison.render(png, .jpeg, choice, levels: level).thumbnails[0].bytes
            ).means
        }
        let (one, other) = (try means(.auto), try means(.libvips))
        #expect(zip(one, other).allSatisfy { abs($0 - $1) < 1.5 }, "\(one) \(other)")
    }
}
