import TestSupport
import Testing

@testable import Imaging

/// Headers of AVIF, HEIC, TIFF and SVG.
@Suite struct ContainerHeaderTests {
    private func header(_ bytes: [UInt8]) throws -> Header {
        try Header.read(bytes, try #require(ImageFormat.sniff(bytes)))
    }

    static func avif(width: Int, height: Int, bands: Int = 3) throws -> [UInt8] {
        try Vips.start()
        let pixels = try PixelBuffer(width: width, height: height, bands: bands)
        for index in 0..<pixels.count { pixels.bytes[index] = UInt8(truncatingIfNeeded: index) }
        return try Encoding.avif(quality: 50, effort: 0).encode(pixels)
    }

    @Test(arguments: [3, 4]) func `reads an AVIF`(bands: Int) throws {
        let header = try header(try Self.avif(width: 40, height: 30, bands: bands))
        #expect(header.size == PixelSize(width: 40, height: 30))
        #expect(header.hasAlpha == (bands == 4))
        #expect((header.depth, header.isProgressive, header.orientation) == (8, false, .upright))
    }

    @Test(arguments: 0...3) func `turns an AVIF as its decoder will`(quarters: Int) throws {
        let avif = FixtureImages.avif(
            try Self.avif(width: 40, height: 30), quarters: quarters, mirror: 1)
        let isTurned = quarters % 2 == 1
        #expect(
            try header(avif).size
                == PixelSize(width: isTurned ? 30 : 40, height: isTurned ? 40 : 30))
    }

    /// A box of ISO base media, with a version where it has one.
    private static func box(_ name: String, full: Int? = nil, _ content: [UInt8]) -> [UInt8] {
        let content = (full.map { [UInt8($0), 0, 0, 0] } ?? []) + content
        let length = 8 + content.count
        return (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            + Array(name.utf8) + content
    }

    /// Item 1 is a grid of 20,000 × 10,000 in `idat`, and says of itself that it is 64 × 64.
    static let grid: [UInt8] = {
        let ispe = box("ispe", full: 0, [0, 0, 0, 64, 0, 0, 0, 64])
        let clap = box(
            "clap",
            [0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0]
                + [0, 0, 0, 0, 0, 0, 0, 0])
        let properties = box(
            "iprp", box("ipco", ispe + clap) + box("ipma", full: 0, [0, 0, 0, 1, 0, 1, 1, 1]))
        let items = box(
            "iinf", full: 0, [0, 1] + box("infe", full: 2, [0, 1, 0, 0] + Array("grid\0".utf8)))
        let place = box(
            "iloc", full: 1, [0x44, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8])
        let data = box("idat", [0, 0, 0, 0, 0x4E, 0x20, 0x27, 0x10])
        let meta = box(
            "meta", full: 0,
            box("pitm", full: 0, [0, 1]) + items + properties + place + data)
        return box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("avif".utf8)) + meta
    }()

    @Test func `a grid is as large as its canvas, whatever is written beside it`() throws {
        #expect(try header(Self.grid).size == PixelSize(width: 20_000, height: 10_000))
    }

    @Test func `an AVIF without a description is refused in words`() {
        let start = Array(Self.grid.prefix(20))
        #expect {
            try header(start)
        } throws: { error in
            "\(error)".contains("ends or goes wrong before its description")
        }
    }

    @Test(arguments: FixtureImages.TIFFKind.allCases)
    func `reads a TIFF in either byte order, classic and big`(
        kind: FixtureImages.TIFFKind
    ) throws {
        let tiff = FixtureImages.tiff(width: 31, height: 17, kind, entries: [(274, 6)])
        let header = try header(tiff)
        #expect(header.size == PixelSize(width: 31, height: 17))
        #expect(header.orientation == .turnedRight)
        #expect(!header.hasAlpha)
        #expect((header.samples, header.depth, header.frames) == (3, 8, 1))
        #expect(header.rowsAtOnce == 17)
        // And so says libtiff.
        let pixels = try DecodedPixels(tiff)
        #expect(pixels.size == PixelSize(width: 17, height: 31))
        #expect(pixels.rgba(8, 20) == [200, 100, 50, 255])
    }

    @Test func `reads a TIFF whose directories go round in a circle`() throws {
        let tiff = FixtureImages.tiff(width: 5, height: 4, next: 1)
        #expect(try header(tiff).frames == 1)
    }

    @Test(arguments: [
        (#"width="40" height="30""#, 40, 30), (#"width="40px" height="1in""#, 40, 72),
        (#"viewBox="0 0 70 20""#, 70, 20), (#"width="140" viewBox="0 0 70 20""#, 140, 40),
        (#"height="1e1" viewBox="0,0,70,20""#, 35, 10), (#"width="1pc" height="2em""#, 12, 24),
        (#"width="100%" height="100%" viewBox="0 0 64 32""#, 64, 32),
        (#"width="10mm" height="2.54cm""#, 28, 72),
    ])
    func `reads the size of an SVG as librsvg does`(
        attributes: String, width: Int, height: Int
    ) throws {
        let svg = Array(
            """
            <?xml version="1.0"?><!-- a --><svg xmlns="http://www.w3.org/2000/svg" \(attributes)>
            <rect width="9999" height="9999" fill="#0f0"/></svg>
            """.utf8)
        #expect(try header(svg).size == PixelSize(width: width, height: height))
        let drawn = try DecodedPixels(svg) { $0 }
        #expect(drawn.info.width == width && drawn.info.height == height)
    }

    static let kinds = ["avif", "grid", "tiff", "bigtiff", "svg"]

    /// Every length, and every byte replaced by what is most likely to go wrong.
    @Test(arguments: kinds)
    func `never crashes, whatever the bytes`(kind: String) throws {
        let whole =
            switch kind {
            case "avif": try Self.avif(width: 16, height: 16, bands: 4)
            case "grid": Self.grid
            case "tiff": FixtureImages.tiff(width: 2, height: 2, entries: [(274, 6)])
            case "bigtiff": FixtureImages.tiff(width: 2, height: 2, .bigBigEndian, next: 1)
            default:
                Array(#"<svg width="1e3mm" height="9" viewBox="0 0 3 4"></svg>"#.utf8)
            }
        let format = try #require(ImageFormat.sniff(whole))
        HeaderMutations.read(Array(whole.prefix(700)), format)
    }

    /// Bytes that are mostly one kind of part, as many as fit into 4 MB.
    static let crowds: [(ImageFormat, [UInt8], [UInt8])] = [
        (
            .png, Array(FixtureImages.png(width: 1, height: 1) { _, _, _ in 0 }.prefix(33)),
            [0, 0, 0, 0, 0x74, 0x45, 0x58, 0x74, 0, 0, 0, 0]
        ),
        (.jpeg, [0xFF, 0xD8], [0xFF, 0xFE, 0, 2]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0, 0, 2], [0]),
        (.gif, Array("GIF89a".utf8) + [9, 0, 9, 0, 0, 0, 0], [0x21, 0xFE, 0]),
        (.avif, box("ftyp", Array("avif".utf8) + [0, 0, 0, 0]), box("free", [])),
        (.jxl, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A], box("free", [])),
        (.jp2, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A], box("free", [])),
    ]

    @Test(arguments: crowds.indices)
    func `a crowd of tiny parts is given up soon`(index: Int) throws {
        let (format, start, part) = Self.crowds[index]
        let bytes = Array([[UInt8]](repeating: part, count: (4 << 20) / part.count).joined())
        let took = processorTime {
            #expect(throws: ImagingError.self) { try Header.read(start + bytes, format) }
        }
        #expect(took < .seconds(2))
    }

    @Test func `metadata of megabytes is skipped`() throws {
        let jpeg = FixtureImages.jpeg(width: 24, height: 16)
        let segment = [0xFF, 0xED, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 65_533)
        let large = jpeg.prefix(2) + (0..<200).flatMap { _ in segment } + jpeg.dropFirst(2)
        #expect(try header(Array(large)).size == PixelSize(width: 24, height: 16))
    }
}
