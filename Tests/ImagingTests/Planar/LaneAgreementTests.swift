import CTurboJPEG
import TestSupport
import Testing

@testable import Imaging

/// The planar lane beside libvips', on the same picture.
@Suite(.timeLimit(.minutes(1))) struct LaneAgreementTests {
    /// Sides that no factor divides: the ratio of the planes isn't the picture's.
    @Test(arguments: ChromaSampling.allCases, [0, TJFLAG_PROGRESSIVE])
    func `both lanes make the same picture of every sampling`(
        sampling: ChromaSampling, flags: Int32
    ) throws {
        let canvas = LaneComparison.canvas(width: 195, height: 209, seed: 11)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, sampling, flags: flags)
        try LaneComparison.compare(jpeg)
    }

    @Test(arguments: 1...8, [(195, 210), (194, 209), (367, 301)])
    func `both lanes turn pictures of odd sides alike`(
        orientation: Int, size: (Int, Int)
    ) throws {
        // Hard edges of color in both directions, which a shift of one pixel would show.
        let canvas = try Canvas(
            width: size.0, height: size.1, fill: RGB(red: 20, green: 30, blue: 220))
        for index in 0..<6 {
            canvas.rectangle(
                x: Double(9 + 31 * index), y: Double(11 + 29 * index), width: 21, height: 19,
                color: RGB(red: 230, green: UInt8(30 * index), blue: 10))
        }
        let stored = try JPEGFixture.encoded(canvas.buffer, .both, quality: 97)
        let jpeg = FixtureImages.jpeg(stored, orientation: orientation)
        try LaneComparison.compare(jpeg, [.jpeg])
    }

    /// Planes of rows that libvips decodes, of every format that may have any.
    @Test func `both lanes make the same picture of other opaque formats`() async throws {
        let canvas = LaneComparison.canvas(width: 121, height: 137, seed: 3)
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
            try LaneComparison.compare(original)
        }
    }

    @Test func `PNG and AVIF are made by libvips in either lane`() throws {
        let jpeg = FixtureImages.jpeg(width: 391, height: 417)
        for format in [ThumbnailFormat.png, .avif] {
            #expect(
                try LaneComparison.render(jpeg, format).thumbnails.map(\.bytes)
                    == LaneComparison.render(jpeg, format, .libvips).thumbnails.map(\.bytes))
        }
    }

    @Test(arguments: [0.3, 0.6, 0.9, 0.97])
    func `a cut picture is broken for the same reason in both lanes`(part: Double) throws {
        let whole = FixtureImages.jpeg(width: 500, height: 400)
        let jpeg = FixtureImages.truncated(whole, part: part)
        #expect(try JPEGFixture.isPlanar(jpeg))
        func reason(_ choice: Lane.Choice) -> String? {
            do {
                _ = try LaneComparison.render(
                    jpeg, .jpeg, choice, levels: [Level(name: "a", width: 150, height: 150)])
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

    /// Some levels are made of a half of the resolution.
    @Test func `both lanes make the same picture of a JPEG 2000`() throws {
        try LaneComparison.compare(
            FixtureImages.largeJPEG2000,
            levels: [
                Level(name: "a", width: 150, height: 150), Level(name: "b", width: 75, height: 75),
            ])
    }

    /// A child that renders it needn't load libvips.
    @Test func `libwebp decodes a WebP that doesn't move to planes`() throws {
        let webP = try LaneComparison.canvas(width: 121, height: 137, seed: 3).encodeWebP(
            quality: 95)
        let header = try HeaderReader.read(webP, .webp)
        #expect(header.givesPlanes)
        var moving = header
        moving.frames = 2
        #expect(!moving.givesPlanes)
        let renditions = LaneComparison.levels.map { Rendition(level: $0, format: .jpeg) }
        let configuration = ImagingConfiguration()
        let limits = Limits(configuration)
        let render = Render(webP, header, renditions, configuration, limits)
        #expect(RenderRequest.of(.original(render), number: 1, limits).0.isPlanar)
        #expect(try render()?.thumbnails.map(\.lane) == [.planar, .planar])
        // A cut one is left to libvips, which says why it is broken.
        let cut = Array(webP.prefix(webP.count * 2 / 3))
        #expect(try Render(cut, header, renditions, configuration, limits)() == nil)
    }

    @Test func `a picture as large as its level is encoded without resampling`() throws {
        let level = Level(name: "a", width: 128, height: 96)
        let canvas = FixtureImages.canvas(width: 128, height: 96, seed: 3)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, .both, quality: 95)
        let made = try LaneComparison.render(jpeg, .jpeg, levels: [level]).thumbnails[0].bytes
        let want = try DecodedPixels(jpeg).rgb.map(Double.init)
        #expect(LaneComparison.distance(try DecodedPixels(made), want) < 1.5)
    }
}
