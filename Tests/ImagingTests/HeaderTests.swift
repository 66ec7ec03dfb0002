import TestSupport
import Testing

@testable import Imaging

@Suite struct HeaderTests {
    private func header(_ bytes: [UInt8]) throws -> Header {
        try Header.read(bytes, try #require(ImageFormat.sniff(bytes)))
    }

    @Test func `reads a JPEG`() throws {
        let header = try header(FixtureImages.jpeg(width: 37, height: 21))
        var expected = Header(format: .jpeg, width: 37, height: 21)
        // Colours are stored at half the width and height.
        expected.samples = 1.5
        #expect(header == expected)
    }

    @Test(arguments: 0...9)
    func `reads the orientation of a JPEG`(value: Int) throws {
        let jpeg = FixtureImages.jpeg(width: 8, height: 4)
        let header = try header(FixtureImages.jpeg(jpeg, orientation: value))
        #expect(header.orientation.rawValue == (1...8 ~= value ? value : 1))
        #expect(header.info.width == (5...8 ~= value ? 4 : 8))
    }

    @Test func `passes over what lies between the segments of a JPEG`() throws {
        var jpeg = FixtureImages.jpeg(width: 8, height: 4)
        let first = 4 + (Int(jpeg[4]) << 8 | Int(jpeg[5]))
        jpeg.insert(contentsOf: [0, 7, 0xFF, 0, 0xFF], at: first)
        #expect(try header(jpeg).size == PixelSize(width: 8, height: 4))
    }

    @Test(arguments: [
        (0xC0 as UInt8, 8 as UInt8, nil as String?, false), (0xC2, 8, nil, true),
        (0xC1, 12, "JPEG with 12 bits", false), (0xC3, 8, "Lossless JPEG", false),
        (0xC5, 8, "Hierarchical JPEG", false),
    ])
    func `tells kinds of JPEG apart`(
        marker: UInt8, precision: UInt8, unsupported: String?, progressive: Bool
    ) throws {
        let bytes = [0xFF, 0xD8, 0xFF, marker, 0, 11, precision, 0, 5, 0, 6, 1, 1, 0x11, 0]
        if let unsupported {
            #expect(throws: ImagingError.unsupported(format: unsupported)) { try header(bytes) }
        } else {
            let read = try header(bytes)
            #expect(read.size == PixelSize(width: 6, height: 5))
            #expect(read.isProgressive == progressive)
        }
    }

    @Test(arguments: [
        (FixtureImages.PNGColour.grey, false, 1), (.rgb, false, 3), (.greyAlpha, true, 2),
        (.rgba, true, 4),
    ])
    func `reads a PNG`(colour: FixtureImages.PNGColour, hasAlpha: Bool, samples: Int) throws {
        let png = FixtureImages.png(width: 5, height: 3, colour) { _, _, _ in 0 }
        let header = try header(png)
        var expected = Header(format: .png, width: 5, height: 3, hasAlpha: hasAlpha)
        expected.samples = Double(samples)
        #expect(header == expected)
    }

    @Test func `finds transparency and orientation in the chunks of a PNG`() throws {
        let exif: [UInt8] =
            Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0]
        let png = FixtureImages.png(
            width: 5, height: 3, chunks: [("tRNS", [0, 1, 0, 1, 0, 1]), ("eXIf", exif + [0, 0])]
        ) { _, _, _ in 0 }
        let header = try header(png)
        #expect(header.hasAlpha)
        #expect(header.orientation == .turnedRight)
    }

    @Test func `refuses a PNG that claims a chunk larger than itself`() {
        let start = FixtureImages.png(width: 1, height: 1) { _, _, _ in 0 }.prefix(33)
        let png = Array(start) + [0x3F, 0xFF, 0xFF, 0xFF] + Array("iTXt".utf8)
        #expect {
            try header(png)
        } throws: { error in
            "\(error)".contains("claims a chunk of 1073741823 bytes")
        }
    }

    @Test func `reads a GIF, with the frame that reaches beyond its screen`() throws {
        let black = RGB(red: 0, green: 0, blue: 0)
        var gif = FixtureImages.gif(width: 6, height: 4, colours: (black, black))
        #expect(try header(gif) == Header(format: .gif, width: 6, height: 4))
        gif[6] = 2
        #expect(try header(gif).width == 6)
        gif = FixtureImages.gif(width: 6, height: 4, colours: (black, black), transparent: 1)
        #expect(try header(gif).hasAlpha == true)
    }

    @Test func `reads a lossy WebP`() throws {
        let header = try header(FixtureImages.webp(width: 33, height: 17))
        #expect(header == Header(format: .webp, width: 33, height: 17))
    }

    @Test func `reads a lossless WebP`() throws {
        // 100 × 50 less one each in 14 bits, then the bit for alpha.
        let bits = UInt32(99 | 49 << 14 | 1 << 28)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        let webp = Array("RIFF\0\0\0\0WEBPVP8L\u{5}\0\0\0".utf8) + [0x2F] + bytes
        #expect(
            try header(webp) == Header(format: .webp, width: 100, height: 50, hasAlpha: true))
    }

    @Test(arguments: [false, true])
    func `reads an extended WebP`(withPrefix: Bool) throws {
        let exif: [UInt8] =
            Array((withPrefix ? "Exif\0\0" : "").utf8)
            + Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0]
        let webp =
            Array("RIFF\0\0\0\0WEBPVP8X\u{A}\0\0\0".utf8) + [0x18, 0, 0, 0, 9, 1, 0, 19, 0, 0]
            + Array("VP8 \u{3}\0\0\0abc\0".utf8) + Array("EXIF".utf8)
            + [UInt8(exif.count), 0, 0, 0] + exif
        let header = try header(webp)
        #expect(header.size == PixelSize(width: 266, height: 20))
        #expect(header.orientation == .turnedLeft)
        #expect(header.hasAlpha)
    }

    @Test(
        arguments: [
            // 24 × 16; bits from the lowest: small, 2 (× 8), no ratio, 3 (× 8).
            ([0xFF, 0x0A, 0b0000_0011, 0b0000_0100], 24, 16),
            // The same in the box of a container.
            (
                [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10, 0, 0, 0, 12]
                    + Array("jxlc".utf8) + [0xFF, 0x0A, 0b0000_0011, 0b0000_0100],
                24, 16
            ),
            // 300 high, not small; 13 bits, 2:1.
            ([0xFF, 0x0A, 0b0101_1010, 0b0000_1001, 0b0000_0111], 600, 300),
        ] as [([UInt8], Int, Int)])
    func `reads a JPEG XL`(bytes: [UInt8], width: Int, height: Int) throws {
        #expect(try header(bytes) == Header(format: .jxl, width: width, height: height))
    }

    /// The size is 300 × 200, less what lies left and above.
    private static func codestream(components: UInt8 = 3, tile: UInt8 = 255) -> [UInt8] {
        let size: [UInt8] =
            [0, 0, 1, 44, 0, 0, 0, 200, 0, 0, 0, 44, 0, 0, 0, 10, 0, 0, 0, tile, 0, 0, 0, tile]
            + [0, 0, 0, 0, 0, 0, 0, 0, 0, components]
        let each = (0..<Int(components)).flatMap { _ in [7, 1, 1] as [UInt8] }
        return [0xFF, 0x4F, 0xFF, 0x51, 0, 47, 0, 0] + size + each
    }

    @Test func `reads a JPEG 2000 by its codestream`() throws {
        var expected = Header(format: .jp2, width: 256, height: 190)
        expected.rowsAtOnce = 200
        #expect(try header(Self.codestream()) == expected)
        let signature: [UInt8] = [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 13, 10, 0x87, 10]
        let boxes = [0, 0, 0, 9] + Array("ftypx".utf8) + [0, 0, 0, 0] + Array("jp2c".utf8)
        #expect(try header(signature + boxes + Self.codestream()) == expected)
    }

    @Test(arguments: [
        (codestream(components: 9), "9 components"), (codestream(tile: 1), "60501 tiles"),
        (Array(codestream().prefix(30)), "ends or goes wrong"),
    ])
    func `refuses a JPEG 2000 that asks for much`(bytes: [UInt8], word: String) {
        #expect {
            try header(bytes)
        } throws: { error in
            "\(error)".contains(word)
        }
    }

    @Test func `a profile counts only for the colours it is for`() {
        func profile(_ space: String) -> [UInt8] {
            Array(repeating: 0, count: 16) + Array(space.utf8)
        }
        #expect(ICCProfile.fits(profile("RGB "), "RGB "))
        #expect(!ICCProfile.fits(profile("GRAY"), "RGB "))
        #expect(!ICCProfile.fits(profile("RGB "), "CMYK"))
        #expect(ICCProfile.fits(profile("GRAY"), "GRAY"))
        #expect(!ICCProfile.fits([1, 2, 3], "RGB "))
    }

    @Test func `JPEG XL and JPEG 2000 have a limit of their own`() throws {
        let limits = Limits(ImagingConfiguration())
        for format in [ImageFormat.jxl, .jp2, .png] {
            let header = Header(format: format, width: 5_000, height: 4_000)
            do throws(ImagingError) {
                try limits.check(header)
                #expect(format == .png)
            } catch {
                #expect(format != .png && "\(error)".contains(format.name))
            }
        }
    }

    @Test func `says at once that a picture has no pixels`() {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 0, 0, 6, 1, 1, 0x11, 0]
        #expect(throws: ImagingError.broken(reason: "the header says 6×0 pixels")) {
            try header(jpeg)
        }
    }

    /// Every length, and every byte replaced by what is most likely to go wrong.
    @Test(arguments: ["jpeg", "png", "gif", "webp", "extended", "jxl", "jp2"])
    func `never crashes, whatever the bytes`(kind: String) throws {
        let black = RGB(red: 0, green: 0, blue: 0)
        let whole: [UInt8] =
            switch kind {
            case "jpeg": FixtureImages.jpeg(FixtureImages.jpeg(width: 9, height: 9), orientation: 6)
            case "png": FixtureImages.png(width: 3, height: 3, .rgba) { x, y, _ in x * y }
            case "gif": FixtureImages.gif(width: 3, height: 3, colours: (black, black))
            case "webp": FixtureImages.webp(width: 16, height: 16)
            case "jp2": Self.codestream()
            case "jxl":
                [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10, 0, 0, 0, 12]
                    + Array("jxlc".utf8) + [0xFF, 0x0A, 0b0000_0011, 0b0000_0100]
            default:
                Array("RIFF\0\0\0\0WEBPVP8X\u{A}\0\0\0".utf8) + [8, 0, 0, 0, 9, 1, 0, 19, 0, 0]
                    + Array("EXIF\u{12}\0\0\0MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}".utf8)
            }
        let format = try #require(ImageFormat.sniff(whole))
        HeaderMutations.read(Array(whole.prefix(700)), format)
    }
}
