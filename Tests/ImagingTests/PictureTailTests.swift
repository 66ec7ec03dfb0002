import Foundation
import TestSupport
import Testing

@testable import Imaging

/// Pictures without their last bytes: those that say nothing of the pixels aren't missed, and not one pixel more
/// may be missing.
@Suite(.timeLimit(.minutes(1))) struct PictureTailTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        /// Last bytes that may be missing.
        let spare: Int
        var testDescription: String { name }
    }

    private static let cases: [Case] = [
        Case(name: "JPEG", bytes: FixtureImages.jpeg(width: 60, height: 40), spare: 2),
        Case(name: "progressive JPEG", bytes: FixtureImages.smallProgressiveJPEG, spare: 2),
        // The end, and a checksum.
        Case(name: "PNG", bytes: FixtureImages.smallPNG, spare: 12 + 4),
        Case(name: "interlaced PNG", bytes: FixtureImages.smallInterlacedPNG, spare: 12 + 4),
        // The end, that of the frame's blocks, and the byte with the last code.
        Case(name: "GIF", bytes: FixtureImages.smallGIF, spare: 3),
        Case(name: "JPEG 2000", bytes: FixtureImages.smallJPEG2000, spare: 2),
        // The end of the line, and that of the picture.
        Case(
            name: "BMP with runs",
            bytes: FixtureImages.bmp(
                width: 2, height: 2, bits: 8, compression: 1,
                palette: [[9, 9, 9], [250, 0, 0], [0, 250, 0], [0, 0, 250]],
                pixels: [1, 2, 1, 3, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1]), spare: 4),
        // What fills the last row.
        Case(
            name: "BMP",
            bytes: FixtureImages.bmp(
                width: 2, height: 2, bits: 24,
                pixels: [1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0]), spare: 2),
        // Browsers miss these.
        Case(name: "WebP", bytes: FixtureImages.webp(width: 60, height: 40), spare: 0),
        Case(name: "lossless WebP", bytes: FixtureImages.smallLosslessWebP, spare: 0),
        Case(name: "AVIF", bytes: FixtureImages.smallAVIF, spare: 0),
        // The link to a next page, which nothing follows.
        Case(name: "TIFF", bytes: FixtureImages.tiff(), spare: 4),
        Case(name: "deflated TIFF", bytes: FixtureImages.smallDeflatedTIFF, spare: 0),
        Case(name: "JPEG XL", bytes: FixtureImages.jxl, spare: 0),
        Case(
            name: "Radiance",
            bytes: FixtureImages.radiance(
                size: "-Y 1 +X 2", pixels: [128, 128, 128, 129, 128, 128, 128, 129]), spare: 0),
        Case(
            name: "OpenEXR",
            bytes: FixtureImages.exr(
                width: 2, height: 2, channels: ["B", "G", "R"],
                halves: [UInt16](repeating: 0x3C00, count: 12)), spare: 0),
        Case(
            name: "SVG",
            bytes: Array(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"4\"></svg>".utf8),
            spare: 0),
    ]

    private func outcome(_ bytes: [UInt8]) async throws -> Result<[[UInt8]], ImagingError> {
        let level = Level(name: "m", width: 60, height: 60)
        return try await withRenderer { renderer in
            await renderer.outcome(bytes, [Rendition(level: level, format: .png)])
        }
    }

    @Test(arguments: cases)
    func `a picture is rendered without its last bytes, and not without a pixel`(
        test: Case
    ) async throws {
        let whole = try await outcome(test.bytes)
        let shown = try DecodedPixels(try #require(try whole.get().first)).rgb
        for missing in 1...(test.spare + 6) {
            switch try await outcome(Array(test.bytes.dropLast(missing))) {
            case .success(let thumbnails):
                #expect(missing <= test.spare, "\(missing)")
                #expect(try DecodedPixels(thumbnails[0]).rgb == shown, "\(missing)")
            case .failure(let error):
                #expect(missing > test.spare, "\(missing): \(error)")
            }
        }
    }

    /// Rows that are read one after the other, as for deep zoom.
    @Test(arguments: [
        FixtureImages.smallProgressiveJPEG, FixtureImages.smallPNG, FixtureImages.smallGIF,
        FixtureImages.smallJPEG2000,
    ])
    func `a pyramid is made without the last bytes, too`(picture: [UInt8]) async throws {
        try await withRenderer { renderer in
            let whole = try await renderer.pyramid(picture).thumbnails[0].bytes
            let cut = try await renderer.pyramid(Array(picture.dropLast(2))).thumbnails[0].bytes
            #expect(cut == whole)
            await #expect(throws: ImagingError.self) {
                try await renderer.pyramid(Array(picture.dropLast(30)))
            }
        }
    }

    @Test func `a progressive JPEG that ends between two of its scans is refused`() async throws {
        let picture = FixtureImages.smallProgressiveJPEG
        let scans = Self.places(of: 0xDA, in: picture)
        let tables = Self.places(of: 0xC4, in: picture).filter { $0 > scans[0] }
        #expect(scans.count > 5)
        for end in Array(scans.dropFirst()) + tables {
            #expect(!JPEGScans.areComplete(Array(picture[..<end])))
            let outcome = try await outcome(Array(picture[..<end]))
            #expect(outcome == .failure(ImagingError.broken(reason: "it ends too early")), "\(end)")
        }
        #expect(JPEGScans.areComplete(Array(picture.dropLast(2))))
    }

    private static func places(of marker: UInt8, in picture: [UInt8]) -> [Int] {
        picture.indices.dropLast().filter { place in
            picture[place] == 0xFF && picture[place + 1] == marker
        }
    }

    @Test func `bytes of every picture that is cut anywhere are read without a trap`() {
        for test in Self.cases {
            let format = ImageFormat.sniff(test.bytes)
            for count in stride(from: 0, through: test.bytes.count, by: 7) {
                for format in [format, .jpeg, .png, .gif, .jp2].compactMap(\.self) {
                    _ = PictureTail.added(to: Array(test.bytes.prefix(count)), format)
                }
            }
        }
    }
}
