import CTurboJPEG
import TestSupport
import Testing

@testable import Imaging

/// The planar lane beside the general one, on the same picture.
@Suite(.timeLimit(.minutes(1))) struct LaneAgreementTests {
    private static let levels = [
        Level(name: "a", width: 150, height: 150), Level(name: "b", width: 75, height: 75),
    ]

    private func render(
        _ jpeg: [UInt8], _ format: ThumbnailFormat, levels: [Level] = levels
    ) throws -> Rendering {
        try Vips.start()
        var configuration = ImagingConfiguration()
        configuration.levels = levels
        configuration.jpegQuality = 95
        configuration.webpQuality = 95
        let encoder = Encoder(configuration)
        let renditions = levels.map { Rendition(level: $0, format: format) }
        return try Render(
            original: jpeg, header: try JPEGFixture.header(jpeg), levels: levels,
            renditions: renditions, encodings: renditions.map(encoder.encoding),
            decoder: Decoder(limits: Limits(configuration)))()
    }

    /// Root of the mean square of all samples' differences.
    private func distance(_ one: PixelBuffer, _ other: PixelBuffer) throws -> Double {
        let (one, other) = (try one.expandedGray(), try other.expandedGray())
        #expect(one.size == other.size && one.bands == 3 && other.bands == 3)
        let sum = (0..<one.count).reduce(0) { sum, index in
            let difference = Int(one.bytes[index]) - Int(other.bytes[index])
            return sum + difference * difference
        }
        return (Double(sum) / Double(one.count)).squareRoot()
    }

    /// Checks that the planar lane comes at least as close to the original's pixels as the general one
    /// does; a shift by a part of a pixel would not.
    private func compare(_ jpeg: [UInt8], _ format: ThumbnailFormat) throws {
        let general = JPEGFixture.general(jpeg)
        #expect(try JPEGFixture.isPlanar(jpeg) && !JPEGFixture.isPlanar(general))
        let one = try render(jpeg, format)
        let other = try render(general, format)
        #expect(one.info == other.info)
        let original = try DecodedPixels(jpeg).buffer
        for (one, other) in zip(one.thumbnails, other.thumbnails) {
            #expect((one.width, one.height) == (other.width, other.height))
            let want = try original.resampled(width: one.width, height: one.height)
            let ours = try distance(try DecodedPixels(one.bytes).buffer, want)
            let theirs = try distance(try DecodedPixels(other.bytes).buffer, want)
            #expect(ours < 1.1 * theirs + 0.2, "\(ours) \(theirs)")
        }
        let (a, b) = (one.summary.color, other.summary.color)
        for (a, b) in [(a.red, b.red), (a.green, b.green), (a.blue, b.blue)] {
            #expect(abs(Int(a) - Int(b)) <= 6)
        }
    }

    /// Sides that no factor divides: the ratio of the planes isn't the picture's.
    @Test(arguments: ChromaSampling.allCases, [0, TJFLAG_PROGRESSIVE])
    func `both lanes make the same picture of every sampling`(
        sampling: ChromaSampling, flags: Int32
    ) throws {
        let canvas = FixtureImages.canvas(width: 391, height: 417, seed: 11)
        let jpeg = try JPEGFixture.encoded(canvas.buffer, sampling, flags: flags)
        for format in [ThumbnailFormat.jpeg, .webp] { try compare(jpeg, format) }
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
        try compare(jpeg, .jpeg)
    }

    @Test func `AVIF is made from the same planes`() throws {
        let canvas = FixtureImages.canvas(width: 391, height: 417, seed: 3)
        try compare(try JPEGFixture.encoded(canvas.buffer, .both), .avif)
    }

    @Test(arguments: [0.3, 0.6, 0.9, 0.97])
    func `a cut picture is broken for the same reason in both lanes`(part: Double) throws {
        let whole = FixtureImages.jpeg(width: 500, height: 400)
        let jpeg = FixtureImages.truncated(whole, part: part)
        #expect(try JPEGFixture.isPlanar(jpeg))
        func reason(_ jpeg: [UInt8]) -> String? {
            do {
                _ = try render(jpeg, .jpeg)
                return nil
            } catch ImagingError.broken(let reason) {
                return reason
            } catch {
                return "another error: \(error)"
            }
        }
        let one = reason(jpeg)
        // All threads share libvips' messages, and a render of another test may take them.
        let others = (0..<20).lazy.map { _ in reason(JPEGFixture.general(jpeg)) }
        #expect(one != nil && others.contains(one), "\(one ?? "none") – \(others.first ?? "none")")
    }

    @Test func `a picture with an sRGB profile looks as without`() throws {
        let canvas = FixtureImages.canvas(width: 391, height: 417, seed: 3)
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
        let (a, b) = (try DecodedPixels(made), try DecodedPixels(jpeg))
        #expect(try distance(a.buffer, b.buffer) < 1.5)
    }
}
