import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct HeaderTests {
    private func header(_ bytes: [UInt8]) throws -> Header {
        try HeaderReader.read(bytes, try #require(ImageFormat.sniff(bytes)))
    }

    @Test func `the header of a JPEG is read`() throws {
        let header = try header(FixtureImages.jpeg(width: 37, height: 21))
        var expected = Header(format: .jpeg, width: 37, height: 21)
        // Colors are stored at half the width and height.
        expected.samples = 1.5
        expected.planes = .both
        #expect(header == expected)
    }

    @Test(arguments: 0...9)
    func `the orientation of a JPEG is read from EXIF`(value: Int) throws {
        let jpeg = FixtureImages.jpeg(width: 8, height: 4)
        let header = try header(FixtureImages.jpeg(jpeg, orientation: value))
        #expect(header.orientation.rawValue == (1...8 ~= value ? value : 1))
        #expect(header.info.width == (5...8 ~= value ? 4 : 8))
    }

    @Test func `stray bytes between the segments of a JPEG are skipped`() throws {
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
        (FixtureImages.PNGColor.gray, false, 1), (.rgb, false, 3), (.grayAlpha, true, 2),
        (.rgba, true, 4),
    ])
    func `reads a PNG`(color: FixtureImages.PNGColor, hasAlpha: Bool, samples: Int) throws {
        let png = FixtureImages.png(width: 5, height: 3, color) { _, _, _ in 0 }
        let header = try header(png)
        var expected = Header(format: .png, width: 5, height: 3, hasAlpha: hasAlpha)
        expected.samples = Double(samples)
        #expect(header == expected)
    }

    @Test func `transparency and orientation are read from the chunks of a PNG`() throws {
        let exif: [UInt8] =
            Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0]
        let png = FixtureImages.png(
            width: 5, height: 3, chunks: [("tRNS", [0, 1, 0, 1, 0, 1]), ("eXIf", exif + [0, 0])]
        ) { _, _, _ in 0 }
        let header = try header(png)
        #expect(header.hasAlpha)
        #expect(header.orientation == .turnedRight)
    }

    @Test func `a PNG that claims a chunk larger than itself is refused`() {
        let start = FixtureImages.png(width: 1, height: 1) { _, _, _ in 0 }.prefix(33)
        let png = Array(start) + [0x3F, 0xFF, 0xFF, 0xFF] + Array("iTXt".utf8)
        #expect {
            try header(png)
        } throws: { error in
            "\(error)".contains("claims a chunk of 1073741823 bytes")
        }
    }

    @Test func `a GIF frame beyond the screen enlarges the size in the header`() throws {
        let black = RGB(red: 0, green: 0, blue: 0)
        var gif = FixtureImages.gif(width: 6, height: 4, colors: (black, black))
        #expect(try header(gif) == Header(format: .gif, width: 6, height: 4))
        gif[6] = 2
        #expect(try header(gif).width == 6)
        gif = FixtureImages.gif(width: 6, height: 4, colors: (black, black), transparent: 1)
        #expect(try header(gif).hasAlpha == true)
    }

    @Test func `the header of a lossy WebP is read`() throws {
        let header = try header(FixtureImages.webp(width: 33, height: 17))
        #expect(header == Header(format: .webp, width: 33, height: 17))
    }

    @Test func `the header of a lossless WebP is read`() throws {
        #expect(
            try header(FixtureImages.losslessWebP)
                == Header(format: .webp, width: 100, height: 50, hasAlpha: true))
    }

    @Test(arguments: [false, true])
    func `the header of an extended WebP is read`(withPrefix: Bool) throws {
        let header = try header(FixtureImages.extendedWebP(withPrefix: withPrefix))
        #expect(header.size == PixelSize(width: 266, height: 20))
        #expect(header.orientation == .turnedLeft)
        #expect(header.hasAlpha)
    }

    @Test(arguments: [
        (FixtureImages.jxl, 8, false), (FixtureImages.jxlContainer, 8, false),
        (FixtureImages.jxlWithAlpha, 8, true), (FixtureImages.deepJXL, 16, false),
    ])
    func `the header of a JPEG XL is read by its library`(
        bytes: [UInt8], depth: Int, hasAlpha: Bool
    ) throws {
        Vips.allowLoadersOfChildren()
        let header = try header(bytes)
        #expect(header.size == PixelSize(width: 24, height: 16))
        #expect((header.depth, header.hasAlpha) == (depth, hasAlpha))
    }

    @Test func `a JPEG XL that ends within its header is broken`() {
        Vips.allowLoadersOfChildren()
        for count in 3...4 {
            #expect(
                throws: ImagingError.broken(
                    reason: "the JPEG XL ends or goes wrong within its header")
            ) { try header(Array(FixtureImages.jxl.prefix(count))) }
        }
    }

    @Test(arguments: [
        (20_000, 20_000, "20000×20000 pixels are over the limit of 120,000,000"),
        (70_000, 10, "a side of 70,000 pixels is over the limit of 65,535"),
    ])
    func `a JPEG XL that claims too many pixels is refused before they are decoded`(
        width: Int, height: Int, reason: String
    ) throws {
        Vips.allowLoadersOfChildren()
        #expect {
            let bytes = FixtureImages.jxlHeader(width: width, height: height)
            try Limits(ImagingConfiguration()).check(try header(bytes))
        } throws: { "\($0)".contains(reason) }
    }

    /// libvips says so in a message, and its messages are those of a process.
    @Test(arguments: [(20_000_000, 1), (1 << 30, 1 << 30)])
    func `a JPEG XL with a side that libvips can't tell is refused`(width: Int, height: Int) async {
        await #expect {
            _ = try await rendered(
                FixtureImages.jxlHeader(width: width, height: height), [.tiny],
                .isolated(.child()))
        } throws: {
            "\($0)".contains("a side of more than 10,000,000 pixels")
        }
    }

    @Test func `the size of a JPEG 2000 is read from its codestream`() throws {
        var expected = Header(format: .jp2, width: 300, height: 200)
        expected.rowsAtOnce = 200
        let codestream = FixtureImages.jp2Codestream()
        #expect(try header(codestream) == expected)
        #expect(try header(FixtureImages.jp2(codestream)) == expected)
    }

    @Test(arguments: [
        (FixtureImages.jp2Codestream(components: 9), "9 components"),
        (FixtureImages.jp2Codestream(tile: 1), "more than 4096 tiles"),
        (
            FixtureImages.jp2Codestream(sides: [.max, .max, 0, 0, 1, 1, 0, 0]),
            "more than 4096 tiles"
        ),
        (
            FixtureImages.jp2Codestream(sides: [.max, .max, 0, 0, .max, .max, 0, 0]),
            "4294967295×4294967295 pixels are over the limit"
        ),
        (FixtureImages.jp2Codestream(sides: [9, 9, .max, .max, 9, 9, 0, 0]), "with an offset"),
        (FixtureImages.jp2Codestream(sides: [9, 9, 1, 0, 9, 9, 0, 0]), "with an offset"),
        (FixtureImages.jp2Codestream(sides: [9, 9, 0, 1, 9, 9, 0, 0]), "with an offset"),
        (FixtureImages.jp2Codestream(sides: [9, 9, 0, 0, 5, 9, 2, 0]), "with an offset"),
        (FixtureImages.jp2Codestream(sides: [9, 9, 0, 0, 9, 5, 0, 2]), "with an offset"),
        (FixtureImages.jp2Codestream(step: 2), "subsampled colors"),
        (FixtureImages.jp2Codestream(depth: 0x87), "signed samples"),
        (FixtureImages.jp2Codestream(capabilities: 0x4000), "HTJ2K"),
        (FixtureImages.jp2(FixtureImages.jp2Codestream(), header: ("pclr", [0, 1])), "a palette"),
        (jp2(space: 18), "in YCbCr"), (jp2(space: 12), "in CMYK"),
        (jp2(space: 14), "another color space than RGB or gray"),
        (Array(FixtureImages.jp2Codestream().prefix(30)), "ends or goes wrong"),
    ])
    func `refuses a JPEG 2000 that asks for much`(bytes: [UInt8], word: String) {
        #expect {
            try Limits(ImagingConfiguration()).check(try header(bytes))
        } throws: { error in
            "\(error)".contains(word)
        }
    }

    /// A JPEG 2000 whose container names a color space by its number.
    private static func jp2(space: UInt8) -> [UInt8] {
        FixtureImages.jp2(
            FixtureImages.jp2Codestream(), header: ("colr", [1, 0, 0, 0, 0, 0, space]))
    }

    @Test(arguments: [16, 17] as [UInt8])
    func `a JPEG 2000 of RGB or gray is read`(space: UInt8) throws {
        #expect(try header(Self.jp2(space: space)).width == 300)
        // A profile in the place of a number.
        let profile = FixtureImages.jp2(FixtureImages.jp2Codestream(), header: ("colr", [2, 0, 0]))
        #expect(try header(profile).width == 300)
    }

    @Test func `a profile of PQ is known by its name, unless it has a table`() {
        let start = [UInt8](repeating: 0, count: 16) + Array("RGB XYZ ".utf8)
        let name = Array("RGB_D65_202_Per_PeQ".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        #expect(LinearLight.isPQ(start + name))
        #expect(!LinearLight.isPQ(start + Array("A2B0".utf8) + name))
        #expect(!LinearLight.isPQ(FixtureImages.swappedProfile))
        // 203 of 10,000 candela are 0.0203 of the light: 0.1530 in sRGB.
        #expect(LinearLight.ofPQ[Int(0.1531 * 65_535)] == 255 && LinearLight.ofPQ[65_535] == 255)
        // A fifth of that is 124, as of other linear light: 0.00406 are 0.0514.
        #expect(abs(Int(LinearLight.ofPQ[Int(0.0514 * 65_535)]) - 124) <= 1)
        #expect(LinearLight.ofPQ[0] == 0)
    }

    @Test(arguments: [3, 4, 9])
    func `an orientation is read whatever its type of number`(type: UInt8) throws {
        let jpeg = FixtureImages.jpeg(width: 8, height: 4)
        #expect(
            try header(FixtureImages.jpeg(jpeg, orientation: 6, type: type)).orientation
                == .turnedRight)
    }

    @Test func `a TIFF of one strip that names no rows has those of its picture`() throws {
        let tiff = FixtureImages.tiff(width: 6, height: 4, rowsPerStrip: Int(UInt32.max))
        #expect(try header(tiff).rowsAtOnce == 4)
    }

    @Test(arguments: [
        (FixtureImages.tiff(format: 2), "TIFF with 8-bit signed integers"),
        (FixtureImages.tiff(depth: 32), "TIFF with 32-bit samples"),
        (FixtureImages.tiff(photometric: 6), "TIFF with YCbCr colors"),
    ])
    func `a TIFF whose colors would be false is refused by name`(bytes: [UInt8], name: String) {
        #expect(throws: ImagingError.unsupported(format: name)) { try header(bytes) }
    }

    @Test func `a profile is applied only to the colors it is made for`() {
        func profile(_ space: String) -> [UInt8] {
            Array(repeating: 0, count: 16) + Array(space.utf8)
        }
        #expect(VipsPicture.profile(profile("RGB "), fits: "RGB "))
        #expect(!VipsPicture.profile(profile("GRAY"), fits: "RGB "))
        #expect(!VipsPicture.profile(profile("RGB "), fits: "CMYK"))
        #expect(VipsPicture.profile(profile("GRAY"), fits: "GRAY"))
        #expect(!VipsPicture.profile([1, 2, 3], fits: "RGB "))
    }

    @Test func `a picture without pixels is refused by its header`() {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 0, 0, 6, 1, 1, 0x11, 0]
        #expect(throws: ImagingError.broken(reason: "the header says 6×0 pixels")) {
            try header(jpeg)
        }
    }
}
