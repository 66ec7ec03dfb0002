import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct EXRTests {
    private static let (one, half, quarter, nothing, endless):
        (UInt16, UInt16, UInt16, UInt16, UInt16) =
            (0x3C00, 0x3800, 0x3400, 0, 0x7C00)

    /// Two pixels: white, and green of linear 0.25 (sRGB 137).
    private static let plain = FixtureImages.exr(
        width: 2, height: 1, channels: ["B", "G", "R"],
        halves: [one, one, endless, nothing, quarter, nothing])

    @Test func `OpenEXR pixels are converted from linear light`() throws {
        let pixels = try DecodedPixels(Self.plain)
        #expect(pixels.size == PixelSize(width: 2, height: 1))
        #expect(pixels.rgba(0, 0) == [255, 255, 255, 255])
        #expect(pixels.rgba(1, 0) == [0, 137, 0, 255])
    }

    @Test func `premultiplied colors of an OpenEXR picture become straight`() throws {
        let picture = FixtureImages.exr(
            width: 2, height: 1, channels: ["A", "B", "G", "R"],
            halves: [Self.half, 0, 0, Self.half, 0, 0, 0, 0])
        let pixels = try DecodedPixels(picture)
        #expect(pixels.rgba(0, 0) == [255, 0, 0, 128])
        #expect(pixels.rgba(1, 0)[3] == 0)
    }

    @Test func `an OpenEXR picture of luminance alone is gray`() throws {
        let picture = FixtureImages.exr(
            width: 1, height: 1, channels: ["Y"], halves: [Self.quarter])
        #expect(try DecodedPixels(picture).rgba(0, 0) == [137, 137, 137, 255])
    }

    @Test(arguments: [(7, 9), (-3, -200)])
    func `the data window of an OpenEXR picture may lie anywhere`(x: Int, y: Int) throws {
        let picture = FixtureImages.exr(
            width: 1, height: 2, channels: ["B", "G", "R"],
            halves: [Self.one, Self.one, Self.one, 0, 0, 0], corner: (x, y))
        let pixels = try DecodedPixels(picture)
        #expect(pixels.rgba(0, 0) == [255, 255, 255, 255])
        #expect(pixels.rgba(0, 1) == [0, 0, 0, 255])
    }

    static let refused: [(String, [UInt8], String)] = [
        ("cut", Array(plain.dropLast(3)), "broken"),
        ("cut in the header", Array(plain.prefix(60)), "broken"),
        (
            "no colors",
            FixtureImages.exr(width: 1, height: 1, channels: ["Z"], halves: [0]), "colors"
        ),
        (
            "deep data",
            FixtureImages.exr(width: 1, height: 1, channels: ["R"], halves: [0], version: 0x802),
            "deep"
        ),
        ("over the limits", larger, "limit"),
    ]
    /// The header alone says that it is 60,000 pixels wide and high.
    private static let larger: [UInt8] = {
        var bytes = FixtureImages.exr(width: 1, height: 1, channels: ["R"], halves: [0])
        let window = Array("dataWindow\0box2i\0".utf8)
        let start = bytes.firstRange(of: window)?.upperBound ?? 0
        bytes.replaceSubrange(start + 12..<start + 20, with: [0x60, 0xEA, 0, 0, 0x60, 0xEA, 0, 0])
        return bytes
    }()

    @Test(arguments: refused)
    func `a broken, unsupported or too large OpenEXR picture is refused with the reason`(
        name: String, picture: [UInt8], words: String
    ) async throws {
        let error = await #expect(throws: ImagingError.self, "\(name)") {
            try await rendered(picture)
        }
        #expect(error?.description.contains(words) == true)
    }

    @Test func `an OpenEXR picture is read in a child process, whatever the isolation`()
        async throws
    {
        let rendition = Rendition(level: Level(name: "s", width: 2, height: 1), format: .png)
        try await withRenderer(.isolated(.inside)) { renderer in
            for _ in 0..<2 {
                let rendering = try await renderer.render(Self.plain, [rendition])
                let png = try DecodedPixels(rendering.thumbnails[0].bytes)
                #expect(png.rgba(1, 0) == [0, 137, 0, 255])
            }
            // One reads headers, which is quick; the other one renders.
            #expect(renderer.children.started == 2)
        }
    }
}
