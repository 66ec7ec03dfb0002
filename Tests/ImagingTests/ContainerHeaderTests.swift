import TestSupport
import Testing

@testable import Imaging

/// Headers of AVIF, HEIC and TIFF.
@Suite(.timeLimit(.minutes(1))) struct ContainerHeaderTests {
    private func header(_ bytes: [UInt8]) throws -> Header {
        try HeaderReader.read(bytes, try #require(ImageFormat.sniff(bytes)))
    }

    static func avif(width: Int, height: Int, bands: Int = 3) throws -> [UInt8] {
        try Vips.start()
        let pixels = try PixelBuffer(width: width, height: height, bands: bands)
        for index in 0..<pixels.count { pixels.bytes[index] = UInt8(truncatingIfNeeded: index) }
        return try Encoding.avif(quality: 50, effort: 0).encode(pixels)
    }

    @Test(arguments: [3, 4]) func `the header of an AVIF is read`(bands: Int) throws {
        let header = try header(try Self.avif(width: 40, height: 30, bands: bands))
        #expect(header.size == PixelSize(width: 40, height: 30))
        #expect(header.hasAlpha == (bands == 4))
        #expect((header.depth, header.isProgressive, header.orientation) == (8, false, .upright))
    }

    @Test(arguments: 0...3) func `the header of a turned AVIF has the size that its decoder makes`(
        quarters: Int
    ) throws {
        let avif = FixtureImages.avif(
            try Self.avif(width: 40, height: 30), quarters: quarters, mirror: 1)
        let isTurned = quarters % 2 == 1
        #expect(
            try header(avif).size
                == PixelSize(width: isTurned ? 30 : 40, height: isTurned ? 40 : 30))
    }

    @Test func `a HEIF grid is as large as its canvas, whatever size is written beside it`() throws
    {
        var grid = FixtureImages.heif(
            .hevc, .grid(width: 20_000, height: 10_000, columns: 1, rows: 1),
            said: (20_000, 10_000))
        let size: [UInt8] = [0, 0, 0x4E, 0x20, 0, 0, 0x27, 0x10]
        // The first one is that of the tile, the second one that of the grid.
        grid.replaceSubrange(
            try #require(grid.ranges(of: size).dropFirst().first), with: [0, 0, 0, 64, 0, 0, 0, 64])
        #expect(try header(grid).size == PixelSize(width: 20_000, height: 10_000))
    }

    @Test func `an AVIF without a description is refused in words`() {
        let start = Array(FixtureImages.heifGrid.prefix(20))
        #expect {
            try header(start)
        } throws: { error in
            "\(error)".contains("ends or goes wrong before its description")
        }
    }

    @Test(arguments: FixtureImages.TIFFKind.allCases)
    func `a TIFF in either byte order, classic and BigTIFF, is read`(
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

    @Test func `a TIFF whose directories form a circle is read`() throws {
        let tiff = FixtureImages.tiff(width: 5, height: 4, next: 1)
        #expect(try header(tiff).frames == 1)
    }

    /// Bytes that are mostly one kind of part, as many as fit into 4 MB.
    static let crowds: [(ImageFormat, [UInt8], [UInt8])] = [
        (
            .png, Array(FixtureImages.png(width: 1, height: 1) { _, _, _ in 0 }.prefix(33)),
            [0, 0, 0, 0, 0x74, 0x45, 0x58, 0x74, 0, 0, 0, 0]
        ),
        (.jpeg, [0xFF, 0xD8], [0xFF, 0xFE, 0, 2]), (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0, 0, 2], [0]),
        (.jpeg, [0xFF, 0xD8], [0xFF]), (.jpeg, [0xFF, 0xD8], [0, 0, 0, 0xFF, 0]),
        (.gif, Array("GIF89a".utf8) + [9, 0, 9, 0, 0, 0, 0], [0x21, 0xFE, 0]),
        (
            .avif, FixtureImages.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0]),
            FixtureImages.box("free", [])
        ),
        // Its library skips parts.
        (
            .jxl, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A],
            FixtureImages.box("free", [])
        ),
        (
            .jp2, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A],
            FixtureImages.box("free", [])
        ),
    ]

    @Test(arguments: crowds.indices)
    func `a crowd of tiny parts is refused quickly`(index: Int) throws {
        let (format, start, part) = Self.crowds[index]
        if format == .jxl { Vips.allowLoadersOfChildren() }
        var bytes = part
        while bytes.count < 4 << 20 { bytes += bytes }
        let took = processorTime {
            #expect(throws: ImagingError.self) { try HeaderReader.read(start + bytes, format) }
        }
        #expect(took < .seconds(2))
    }

    private static let jpegFrame: [UInt8] = [
        0xFF, 0xC0, 0, 11, 8, 0, 5, 0, 6, 1, 1, 0x11, 0,
    ]
    private static let exrChannels =
        Array("channels\0chlist\0".utf8) + [19, 0, 0, 0, 0x52, 0]
        + [UInt8](repeating: 0, count: 17)

    /// Headers that would be fine, behind more than any real one has.
    static let endless: [(ImageFormat, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 100_000) + jpegFrame),
        (
            .jpeg,
            [0xFF, 0xD8]
                + (0..<20).flatMap { _ in
                    [UInt8](repeating: 7, count: 5_000) + [0xFF, 0xFE, 0, 2]
                } + jpegFrame
        ),
        (
            .gif,
            Array("GIF89a".utf8) + [9, 0, 9, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 9, 0, 9, 0, 0, 2]
                + (0..<1_100_000).flatMap { _ in [1, 7] as [UInt8] } + [0, 0x3B]
        ),
        (
            .hdr,
            Array("#?RADIANCE\n".utf8)
                + (0..<50).flatMap { _ in [UInt8](repeating: 0x23, count: 2_000) + [0x0A] }
                + Array("\n-Y 4 +X 5\n".utf8)
        ),
        (
            .exr,
            [0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0] + exrChannels + exrChannels
                + Array("dataWindow\0box2i\0".utf8) + [16, 0, 0, 0]
                + [UInt8](repeating: 0, count: 17)
        ),
    ]

    @Test(arguments: endless.indices)
    func `an endless header is refused`(index: Int) throws {
        let (format, bytes) = Self.endless[index]
        #expect(throws: ImagingError.self) { try HeaderReader.read(bytes, format) }
    }

    @Test func `millions of HEIF properties are not read`() {
        let one: [UInt8] = [0, 1, 255] + [UInt8](repeating: 1, count: 255)
        let grid = FixtureImages.heifGrid(
            brand: "avif", places: [],
            associations: [0, 0, 0x27, 0x10] + (0..<10_000).flatMap { _ in one })
        let took = processorTime {
            // It has no tiles.
            #expect(throws: ImagingError.self) { try header(grid) }
        }
        #expect(took < .seconds(2))
    }

    /// An entry of six bytes may claim 65,535 places of no bytes each.
    @Test func `millions of HEIF extents without bytes are skipped at once`() throws {
        let entries = (0..<5_000).flatMap { _ in [0, 9, 0, 0, 0xFF, 0xFF] as [UInt8] }
        let places = FixtureImages.box("iloc", full: 0, [0, 0, 0x13, 0x88] + entries)
        let grid = FixtureImages.heifGrid(brand: "avif", places: places)
        let took = processorTime {
            // It has no tiles.
            #expect(throws: ImagingError.self) { try header(grid) }
        }
        #expect(took < .seconds(2))
    }

    @Test func `megabytes of JPEG metadata are skipped`() throws {
        let jpeg = FixtureImages.jpeg(width: 24, height: 16)
        let segment = [0xFF, 0xED, 0xFF, 0xFF] + [UInt8](repeating: 7, count: 65_533)
        let large = jpeg.prefix(2) + (0..<200).flatMap { _ in segment } + jpeg.dropFirst(2)
        #expect(try header(Array(large)).size == PixelSize(width: 24, height: 16))
    }
}
