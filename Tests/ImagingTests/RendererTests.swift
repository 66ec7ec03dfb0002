import Glibc
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct RendererTests {
    private static let all = Level.defaults.flatMap { level in
        ThumbnailFormat.allCases.map { Rendition(level: level, format: $0) }
    }

    private func render(
        _ original: [UInt8], _ renditions: [Rendition] = all,
        _ change: (inout ImagingConfiguration) -> Void = { _ in }
    ) async throws -> Rendering {
        try await rendered(original, renditions, .patient.with(change))
    }

    private static func square(_ side: Int, _ format: ThumbnailFormat = .webp) -> Rendition {
        Rendition(level: Level(name: "square", width: side, height: side), format: format)
    }

    @Test func `every level and format is rendered, in the order of the request`() async throws {
        let original = FixtureImages.jpeg(width: 1000, height: 1400)
        let asked = Array(Self.all.reversed())
        let rendering = try await render(original, asked)
        #expect(
            rendering.info
                == ImageInfo(
                    format: .jpeg, width: 1000, height: 1400, hasAlpha: false,
                    isProgressive: false))
        #expect(rendering.thumbnails.map(\.rendition) == asked)
        let sizes = [
            "xs": (80, 112), "s": (160, 224), "m": (320, 448), "l": (640, 896), "xl": (1000, 1400),
        ]
        for thumbnail in rendering.thumbnails {
            let expected = try #require(sizes[thumbnail.rendition.level.name])
            #expect((thumbnail.width, thumbnail.height) == expected)
            let decoded = try DecodedPixels(thumbnail.bytes)
            #expect(decoded.size == PixelSize(width: thumbnail.width, height: thumbnail.height))
            #expect(decoded.info.format.rawValue == thumbnail.rendition.format.rawValue)
        }
        #expect(rendering.worked > .zero)
    }

    @Test func `a thumbnail looks like its original`() async throws {
        let canvas = FixtureImages.canvas(width: 900, height: 600, seed: 3)
        let original = try canvas.encodeJPEG(quality: 95)
        let want = try canvas.buffer.resampled(to: PixelSize(width: 300, height: 200))
        let level = Level(name: "m", width: 300, height: 300)
        for format in ThumbnailFormat.allCases {
            let thumbnails = try await render(original, [Rendition(level: level, format: format)])
                .thumbnails
            let got = try DecodedPixels(try #require(thumbnails.first).bytes)
            #expect(distance(got.buffer, want) < 6)
        }
    }

    /// Root of the mean square of the differences in brightness; color is at half the resolution
    /// in what is encoded here.
    private func distance(_ one: PixelBuffer, _ other: PixelBuffer) -> Double {
        guard one.count == other.count, one.bands == 3, other.bands == 3 else { return .infinity }
        func brightness(_ pixels: PixelBuffer, _ index: Int) -> Double {
            let start = pixels.bytes + 3 * index
            return 0.299 * Double(start[0]) + 0.587 * Double(start[1]) + 0.114 * Double(start[2])
        }
        let count = one.width * one.height
        let sum = (0..<count).reduce(0.0) { sum, index in
            let difference = brightness(one, index) - brightness(other, index)
            return sum + difference * difference
        }
        return (sum / Double(count)).squareRoot()
    }

    @Test func `a small picture is not enlarged, and equal sizes are encoded once`() async throws {
        let thumbnails = try await render(FixtureImages.jpeg(width: 20, height: 30)).thumbnails
        #expect(thumbnails.allSatisfy { $0.width == 20 && $0.height == 30 })
        #expect(Set(thumbnails.map(\.bytes)).count == ThumbnailFormat.allCases.count)
    }

    @Test(arguments: [(940, 2), (1, 1), (3, 700), (7, 13)])
    func `very small and very thin pictures are rendered`(width: Int, height: Int) async throws {
        let png = FixtureImages.png(width: width, height: height) { x, y, _ in x + y }
        for thumbnail in try await render(png).thumbnails {
            #expect(thumbnail.width >= 1 && thumbnail.height >= 1)
            #expect(try DecodedPixels(thumbnail.bytes).size.width == thumbnail.width)
        }
    }

    @Test(arguments: 1...8)
    func `a picture with an orientation is turned upright once`(orientation: Int) async throws {
        // A red left half; what is stored is turned so that it is seen as that.
        let canvas = try Canvas(width: 640, height: 320, fill: RGB(red: 0, green: 0, blue: 255))
        canvas.rectangle(
            x: 0, y: 0, width: 320, height: 320, color: RGB(red: 255, green: 0, blue: 0))
        let back = [6: 8, 8: 6][orientation] ?? orientation
        let stored = Canvas(try canvas.buffer.oriented(Orientation(exif: back)))
        let jpeg = FixtureImages.jpeg(try stored.encodeJPEG(), orientation: orientation)
        let rendering = try await render(jpeg, [Self.square(160)])
        #expect((rendering.info.width, rendering.info.height) == (640, 320))
        let thumbnail = try #require(rendering.thumbnails.first)
        #expect((thumbnail.width, thumbnail.height) == (160, 80))
        let pixels = try DecodedPixels(thumbnail.bytes)
        #expect(pixels.info.width == 160)
        #expect(pixels.rgba(20, 40)[0] > 200)
        #expect(pixels.rgba(140, 40)[2] > 200)
    }

    /// EXIF with nothing but an orientation.
    private static func exif(_ orientation: UInt8) -> [UInt8] {
        Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
            + [0, 0, 0, 0]
    }

    @Test(arguments: [6, 8] as [UInt8])
    func `PNG and WebP with an orientation are turned upright`(orientation: UInt8) throws {
        let png = FixtureImages.png(
            width: 40, height: 20, chunks: [("eXIf", Self.exif(orientation))]
        ) { x, _, band in (x < 20) == (band == 0) ? 255 : 0 }
        // A lossy WebP is a chunk of 8 + n bytes behind RIFF's 12, which go into an extended one.
        let canvas = try Canvas(width: 40, height: 20, fill: RGB(red: 0, green: 255, blue: 255))
        canvas.rectangle(
            x: 0, y: 0, width: 20, height: 20, color: RGB(red: 255, green: 0, blue: 0))
        let plain = try canvas.encodeWebP(quality: 95)
        let exif = Self.exif(orientation)
        let chunks =
            Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 8, 0, 0, 0, 39, 0, 0, 19, 0, 0]
            + Array(plain.dropFirst(12)) + Array("EXIF".utf8) + [UInt8(exif.count), 0, 0, 0] + exif
        let webp =
            Array("RIFF".utf8) + (0..<4).map { UInt8(chunks.count >> (8 * $0) & 0xFF) } + chunks
        for picture in [png, webp] {
            let pixels = try DecodedPixels(picture)
            #expect(pixels.size == PixelSize(width: 20, height: 40))
            #expect(pixels.rgba(10, orientation == 6 ? 5 : 35)[0] > 240)
            #expect(pixels.rgba(10, orientation == 6 ? 35 : 5)[0] < 15)
        }
    }

    @Test func `a thumbnail carries no metadata`() async throws {
        let jpeg = FixtureImages.jpeg(FixtureImages.jpeg(width: 40, height: 30), orientation: 6)
        let clear = FixtureImages.png(
            width: 9, height: 9, .rgba, chunks: [("eXIf", Self.exif(6))]
        ) { x, y, _ in x * y * 3 }
        for original in [jpeg, clear] {
            for thumbnail in try await render(original).thumbnails {
                let text = String(decoding: thumbnail.bytes, as: UTF8.self)
                for name in ["EXIF", "Exif", "eXIf", "iCCP", "ICCP", "http://"] {
                    #expect(!text.contains(name), "\(thumbnail.rendition.format)")
                }
            }
        }
    }

    @Test func `transparency is kept, and flattened on the background in JPEG`() async throws {
        let png = FixtureImages.png(width: 64, height: 64, .rgba) { x, _, band in
            band == 3 ? (x < 32 ? 255 : 0) : (band == 0 ? 255 : 0)
        }
        let rendering = try await render(
            png, [.webp, .jpeg, .avif, .png].map { Self.square(32, $0) }
        ) {
            $0.background = RGB(red: 0, green: 200, blue: 0)
        }
        #expect(rendering.info.hasAlpha)
        for index in [0, 2, 3] {
            let pixels = try DecodedPixels(rendering.thumbnails[index].bytes)
            #expect(pixels.rgba(4, 16)[3] > 250)
            #expect(pixels.rgba(28, 16)[3] < 5)
        }
        let jpeg = try DecodedPixels(rendering.thumbnails[1].bytes)
        #expect(jpeg.rgba(4, 16)[0] > 240)
        #expect(abs(jpeg.rgba(28, 16)[1] - 200) < 6)
    }

    @Test func `an alpha band that is opaque everywhere is dropped`() async throws {
        let png = FixtureImages.png(width: 8, height: 8, .rgba) { _, _, _ in 255 }
        let rendering = try await render(png, [Self.square(8)])
        #expect(!rendering.info.hasAlpha)
        #expect(try DecodedPixels(rendering.thumbnails[0].bytes).buffer.bands == 3)
    }

    @Test(arguments: [
        (FixtureImages.PNGColor.gray, 8, [120, 120, 120, 255]),
        (.gray, 16, [120, 120, 120, 255]), (.grayAlpha, 8, [120, 120, 120, 180]),
        (.grayAlpha, 16, [120, 120, 120, 180]), (.rgb, 16, [120, 180, 60, 255]),
        (.rgba, 16, [120, 180, 60, 210]),
    ])
    func `gray and 16 bit come out right`(
        color: FixtureImages.PNGColor, depth: Int, expected: [Int]
    ) throws {
        let samples = [120, 180, 60, 210]
        let png = FixtureImages.png(width: 30, height: 20, color, depth: depth) { _, _, band in
            depth == 16 ? samples[band] << 8 | 0x40 : samples[band]
        }
        let pixels = try DecodedPixels(png) { _ in PixelSize(width: 10, height: 7) }
        let got = pixels.rgba(5, 3)
        #expect(zip(got, expected).allSatisfy { abs($0 - $1) <= 1 }, "\(got)")
        #expect(pixels.buffer.bands == (color == .grayAlpha ? 4 : color.bands))
    }

    @Test func `an animation is shown by its first frame`() throws {
        let gif = FixtureImages.gif(
            width: 40, height: 20,
            colors: (RGB(red: 250, green: 10, blue: 20), RGB(red: 0, green: 0, blue: 255)),
            frames: [0, 1, 1])
        let pixels = try DecodedPixels(gif) { _ in PixelSize(width: 20, height: 10) }
        #expect(pixels.info.height == 20)
        #expect(pixels.rgba(10, 5) == [250, 10, 20, 255])
    }

    @Test func `a transparent color of a GIF is transparent`() throws {
        let black = RGB(red: 0, green: 0, blue: 0)
        let gif = FixtureImages.gif(
            width: 8, height: 8, colors: (black, black), frames: [1], transparent: 1)
        #expect(try DecodedPixels(gif).rgba(4, 4)[3] == 0)
    }

    @Test(arguments: [
        ([0, 0, 0, 0], [255, 255, 255]), ([0, 0, 0, 255], [35, 31, 32]),
        ([255, 0, 0, 0], [0, 160, 230]), ([0, 255, 255, 0], [237, 28, 36]),
    ])
    func `CMYK without a profile is printed on paper`(ink: [Int], expected: [Int]) throws {
        let jpeg = FixtureImages.cmykJPEG(width: 16, height: 16, ink: ink)
        let got = try DecodedPixels(jpeg).rgba(8, 8)
        #expect(zip(got, expected).allSatisfy { abs($0 - $1) <= 16 }, "\(got)")
    }

    @Test(arguments: [0.2, 0.5, 0.9])
    func `a truncated picture is an error, never a half gray thumbnail`(part: Double) async throws {
        let jpeg = FixtureImages.jpeg(width: 600, height: 400)
        let png = FixtureImages.png(width: 60, height: 40) { x, y, _ in x * y }
        let webp = FixtureImages.webp(width: 300, height: 200)
        for original in [jpeg, png, webp] {
            await #expect {
                try await render(FixtureImages.truncated(original, part: part), [Self.square(80)])
            } throws: { error in
                guard case ImagingError.broken(let reason) = error else { return false }
                return !reason.isEmpty && !reason.contains("\n")
            }
        }
    }

    private static let refusals: [(String, [UInt8], ImagingError)] = [
        ("HTML", FixtureImages.html, .notAnImage(looksLike: "an HTML page")),
        ("nothing", [], .notAnImage(looksLike: "nothing (0 bytes)")),
        ("QOI", Array("qoif".utf8), .unsupported(format: "QOI")),
        (
            "JPEG XL", [0xFF, 0x0A, 0, 0],
            .broken(reason: "the JPEG XL ends or goes wrong within its header")
        ),
        ("ICO", [0, 0, 1, 0, 1, 0], .unsupported(format: "An icon (ICO)")),
        (
            "AVIF animation", [0, 0, 0, 24] + Array("ftypavis\0\0\0\0avifavis".utf8),
            .unsupported(format: "An AVIF animation")
        ),
    ]

    @Test(arguments: refusals)
    func `unsupported formats and other content are refused by name`(
        name: String, original: [UInt8], error: ImagingError
    ) async {
        await #expect(throws: error) { try await render(original) }
        #expect(error.description.hasSuffix("."))
    }

    @Test func `a decompression bomb is refused by its header`() async throws {
        var png = FixtureImages.png(width: 1, height: 1) { _, _, _ in 0 }
        png.replaceSubrange(16..<24, with: [0, 1, 0, 0, 0, 1, 0, 0])
        await #expect(
            throws: ImagingError.overLimit(
                reason: "65536×65536 pixels are over the limit of 120,000,000 (imaging.maxPixels)")
        ) { try await render(png) }
        await #expect(throws: ImagingError.self) {
            try await render(FixtureImages.jpeg(width: 90, height: 90)) { $0.maxBytes = 500 }
        }
    }

    @Test func `a file is detected as a picture by its first bytes`() {
        #expect(
            ImageFormat.isPicture(head: Array(FixtureImages.jpeg(width: 60, height: 40)[..<20])))
        #expect(ImageFormat.isPicture(head: Array("8BPS".utf8)))
        #expect(!ImageFormat.isPicture(head: FixtureImages.json))
    }

    @Test func `a level with its own settings is encoded by them`() async throws {
        let original = FixtureImages.jpeg(width: 40, height: 30)
        let levels = ["plain", "own"].map { Level(name: $0, width: 40, height: 40) }
        // PNG has no setting.
        let renditions = [ThumbnailFormat.jpeg, .webp, .avif].flatMap { format in
            levels.map { Rendition(level: $0, format: format) }
        }
        let thumbnails = try await render(original, renditions) {
            $0.perLevel = [
                LevelSettings(
                    level: "own", values: [.jpegQuality: 30, .webpQuality: 30, .avifQuality: 20])
            ]
        }.thumbnails
        for pair in stride(from: 0, to: thumbnails.count, by: 2) {
            #expect(thumbnails[pair].bytes != thumbnails[pair + 1].bytes)
        }
    }
}
