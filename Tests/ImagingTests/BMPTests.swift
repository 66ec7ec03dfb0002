import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct BMPTests {
    /// Two pixels a row: red and green above, blue and white below.
    private static let expected = [
        [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255],
    ]
    private static let palette: [[UInt8]] = [
        [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255],
    ]
    private static let rgb24: [UInt8] = [
        255, 0, 0, 255, 255, 255, 0, 0, 0, 0, 255, 0, 255, 0, 0, 0,
    ]

    private static func pairs(_ values: [Int], _ bytes: Int) -> [UInt8] {
        values.flatMap { value in (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    }

    private static let kinds: [(String, [UInt8])] = [
        ("24 bits", FixtureImages.bmp(width: 2, height: 2, bits: 24, pixels: rgb24)),
        (
            "24 bits from the top",
            FixtureImages.bmp(
                width: 2, height: -2, bits: 24, pixels: Array(rgb24[8...] + rgb24[..<8]))
        ),
        (
            "24 bits without the last padding",
            FixtureImages.bmp(width: 2, height: 2, bits: 24, pixels: rgb24.dropLast(2))
        ),
        (
            "16 bits, 5-5-5",
            FixtureImages.bmp(
                width: 2, height: 2, bits: 16, pixels: pairs([0x1F, 0x7FFF, 0x7C00, 0x3E0], 2))
        ),
        (
            "16 bits, 5-6-5",
            FixtureImages.bmp(
                width: 2, height: 2, bits: 16, compression: 3, masks: [0xF800, 0x7E0, 0x1F],
                pixels: pairs([0x1F, 0xFFFF, 0xF800, 0x7E0], 2))
        ),
        (
            "32 bits, whose fourth byte says nothing",
            FixtureImages.bmp(
                width: 2, height: 2, bits: 32, pixels: pairs([0xFF, 0xFFFFFF, 0xFF0000, 0xFF00], 4))
        ),
        (
            "32 bits with masks the other way round",
            FixtureImages.bmp(
                width: 2, height: 2, bits: 32, compression: 3, masks: [0xFF, 0xFF00, 0xFF0000],
                pixels: pairs([0xFF0000, 0xFFFFFF, 0xFF, 0xFF00], 4))
        ),
        (
            "8 bits",
            FixtureImages.bmp(
                width: 2, height: 2, bits: 8, palette: palette, pixels: [2, 3, 0, 0, 0, 1, 0, 0])
        ),
        (
            "4 bits",
            FixtureImages.bmp(
                width: 2, height: 2, bits: 4, palette: palette,
                pixels: [0x23, 0, 0, 0, 0x01, 0, 0, 0])
        ),
        (
            "runs of 8 bits",
            FixtureImages.bmp(
                width: 2, height: 2, bits: 8, compression: 1, palette: palette,
                pixels: [1, 2, 1, 3, 0, 0, 1, 0, 1, 1, 0, 1])
        ),
        (
            "runs of 4 bits, and what reaches over the edge",
            FixtureImages.bmp(
                width: 2, height: 2, bits: 4, compression: 2, palette: palette,
                pixels: [4, 0x23, 0, 0, 0, 3, 0x01, 0x00, 0, 1])
        ),
    ]

    @Test(arguments: kinds)
    func `every kind of bitmap shows the same pixels`(name: String, bmp: [UInt8]) throws {
        let pixels = try DecodedPixels(bmp)
        #expect(pixels.size == PixelSize(width: 2, height: 2))
        let got = [(0, 0), (1, 0), (0, 1), (1, 1)].map { pixels.rgba($0, $1) }
        #expect(got == Self.expected, "\(name)")
    }

    @Test func `bitmaps of one bit per pixel and with skipped pixels are read`() throws {
        let ink: [[UInt8]] = [[0, 0, 0], [9, 8, 7]]
        let bits = FixtureImages.bmp(
            width: 3, height: 1, bits: 1, palette: ink, pixels: [0b1010_0000, 0, 0, 0])
        #expect(try DecodedPixels(bits).rgba(0, 0) == [9, 8, 7, 255])
        #expect(try DecodedPixels(bits).rgba(1, 0) == [0, 0, 0, 255])
        let jump = FixtureImages.bmp(
            width: 3, height: 2, bits: 8, compression: 1, palette: ink,
            pixels: [0, 2, 1, 1, 1, 1, 0, 1])
        #expect(try DecodedPixels(jump).rgba(1, 0) == [9, 8, 7, 255])
        #expect(try DecodedPixels(jump).rgba(0, 1) == [0, 0, 0, 255])
    }

    @Test func `a bitmap with a mask for alpha is transparent`() throws {
        let bmp = FixtureImages.bmp(
            width: 1, height: 1, bits: 32, compression: 3,
            masks: [0xFF0000, 0xFF00, 0xFF, 0xFF00_0000], pixels: [30, 20, 10, 128])
        #expect(try DecodedPixels(bmp).rgba(0, 0) == [10, 20, 30, 128])
    }

    private static let refused: [(String, [UInt8])] = [
        ("the pixels are cut", FixtureImages.truncated(kinds[0].1, part: 0.9)),
        ("the runs are cut", Array(kinds[9].1.dropLast(3))),
        (
            "a JPEG within",
            FixtureImages.bmp(width: 2, height: 2, bits: 0, compression: 4, pixels: [])
        ),
        (
            "runs for more than memory",
            FixtureImages.bmp(
                width: 9_000, height: 9_000, bits: 8, compression: 1, palette: palette,
                pixels: [0, 1])
        ),
        (
            "a mask with a hole",
            FixtureImages.bmp(
                width: 1, height: 1, bits: 16, compression: 3, masks: [0xA000, 0x7E0, 0x1F],
                pixels: [0, 0, 0, 0])
        ),
        ("no height", FixtureImages.bmp(width: 1, height: 0, bits: 24, pixels: [])),
        ("a negative width", FixtureImages.bmp(width: -1, height: 1, bits: 24, pixels: rgb24)),
    ]

    @Test(arguments: refused)
    func `a broken or too large bitmap is refused`(name: String, bmp: [UInt8]) {
        #expect(throws: ImagingError.self, "\(name)") { try DecodedPixels(bmp) }
    }
}
