import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct RadianceTests {
    /// White, red, and a green of linear 0.25 (sRGB 137), then black: mantissas and exponent.
    private static let row: [[UInt8]] = [
        [128, 128, 128, 129], [128, 0, 0, 129], [0, 128, 0, 127], [0, 0, 0, 0],
    ]
    private static let flat = row.flatMap { $0 }

    @Test func `Radiance pixels are converted from linear light`() throws {
        let pixels = try DecodedPixels(
            FixtureImages.radiance(size: "-Y 1 +X 4", pixels: Self.flat))
        #expect(pixels.size == PixelSize(width: 4, height: 1))
        #expect(pixels.rgba(0, 0) == [255, 255, 255, 255])
        #expect(pixels.rgba(1, 0)[0] == 255 && pixels.rgba(1, 0)[1] < 20)
        #expect(abs(pixels.rgba(2, 0)[1] - 137) <= 1)
        #expect(pixels.rgba(3, 0) == [0, 0, 0, 255])
    }

    @Test func `a Radiance picture with repeated pixels, as old programs write, is read`() throws {
        let pixels = try DecodedPixels(
            FixtureImages.radiance(
                size: "-Y 1 +X 300", pixels: [128, 0, 0, 129, 1, 1, 1, 43, 1, 1, 1, 1]))
        #expect(pixels.rgba(299, 0) == pixels.rgba(0, 0))
    }

    @Test func `a Radiance picture with runs per channel is read`() throws {
        // Eight pixels: red in a run, green one by one, blue in two runs, one exponent.
        let runs: [UInt8] =
            [2, 2, 0, 8, 136, 128, 8, 0, 0, 0, 0, 128, 128, 128, 128, 132, 128, 132, 0, 136, 129]
        let pixels = try DecodedPixels(
            FixtureImages.radiance(size: "-Y 1 +X 8", pixels: runs))
        let white = (0..<8).map { x in pixels.rgba(x, 0).prefix(3).map { $0 > 128 } }
        #expect(white[0] == [true, false, true])
        #expect(white[7] == [true, true, false])
    }

    @Test(arguments: [
        ("-Y 2 +X 1", [true, false]), ("+Y 2 +X 1", [false, true]),
        ("+X 1 -Y 2", [true, false]), ("+X 1 +Y 2", [false, true]),
    ])
    func `the sides of a Radiance picture follow its size line`(size: String, isWhite: [Bool])
        throws
    {
        let pixels = try DecodedPixels(
            FixtureImages.radiance(size: size, pixels: Self.row[0] + Self.row[3]))
        #expect(pixels.size == PixelSize(width: 1, height: 2))
        #expect((0..<2).map { pixels.rgba(0, $0)[0] == 255 } == isWhite)
    }

    @Test func `equal X, Y and Z of a Radiance picture are white`() throws {
        let pixels = try DecodedPixels(
            FixtureImages.radiance(
                size: "-Y 1 +X 1", format: "32-bit_rle_xyze", pixels: [127, 127, 127, 128]))
        let color = pixels.rgba(0, 0)
        #expect(color[0] > 180 && Set(color.prefix(3)).count == 1)
    }

    static let broken: [(String, [UInt8])] = [
        ("no size", Array("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n".utf8)),
        ("another size", FixtureImages.radiance(size: "-Y 0 +X 4", pixels: flat)),
        ("another format", FixtureImages.radiance(size: "-Y 1 +X 4", format: "x", pixels: flat)),
        ("cut", FixtureImages.radiance(size: "-Y 2 +X 4", pixels: flat)),
        (
            "a run over the edge",
            FixtureImages.radiance(size: "-Y 1 +X 8", pixels: [2, 2, 0, 8, 137, 1])
        ),
        (
            "a run of nothing",
            FixtureImages.radiance(size: "-Y 1 +X 8", pixels: [2, 2, 0, 8, 0, 1])
        ),
        ("over the limits", FixtureImages.radiance(size: "-Y 60000 +X 60000", pixels: flat)),
    ]

    @Test(arguments: broken)
    func `a broken or too large Radiance picture is refused`(name: String, picture: [UInt8]) async {
        await #expect(throws: ImagingError.self, "\(name)") { try await rendered(picture) }
    }
}
