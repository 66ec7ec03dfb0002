import TestSupport
import Testing

@testable import Imaging

/// The same picture in both lanes. Pictures are small: they are compared without optimization.
enum LaneComparison {
    static let levels = [
        Level(name: "a", width: 75, height: 75), Level(name: "b", width: 38, height: 38),
    ]

    static func render(
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
    static func distance(_ one: DecodedPixels, _ other: [Double]) -> Double {
        let samples = one.rgb
        #expect(samples.count == other.count)
        // A plain loop, see ``DecodedPixels/means``.
        var sum = 0.0
        var at = 0
        while at < samples.count {
            let difference = Double(samples[at]) - min(255, max(0, other[at]))
            sum += difference * difference
            at += 1
        }
        return (sum / Double(samples.count)).squareRoot()
    }

    /// Checks that the planar lane comes at least as close to the original's pixels as libvips does; a
    /// shift by a part of a pixel would not.
    static func compare(
        _ original: [UInt8], _ formats: [ThumbnailFormat] = [.jpeg, .webp],
        levels: [Level] = levels
    ) throws {
        let whole = try DecodedPixels(original)
        let samples = whole.rgb.map(Double.init)
        let wanted = levels.map { level in
            Lanczos.resampled(samples, whole.size, bands: 3, to: whole.size.fitting(level))
        }
        for format in formats {
            let one = try render(original, format, levels: levels)
            let other = try render(original, format, .libvips, levels: levels)
            #expect(one.info == other.info)
            for (want, pair) in zip(wanted, zip(one.thumbnails, other.thumbnails)) {
                let (one, other) = pair
                #expect(one.lane == .planar && other.lane == .libvips)
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
    static func canvas(width: Int, height: Int, seed: UInt64) -> Canvas {
        let canvas = FixtureImages.canvas(width: width, height: height, seed: seed)
        canvas.rectangle(
            x: 0, y: 0, width: Double(width) * 0.4, height: Double(height),
            color: RGB(red: 30, green: 60, blue: 200))
        return canvas
    }
}
