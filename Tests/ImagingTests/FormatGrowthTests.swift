import TestSupport
import Testing

@testable import Imaging

/// Pictures whose descriptions are made to hurt.
@Suite(.timeLimit(.minutes(1))) struct FormatGrowthTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Bytes of the smallest input.
        var size = 64_000
        var input: @Sendable (Int) -> [UInt8]
        var read: @Sendable ([UInt8]) -> Void
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    // MARK: - SVG

    private static func svg(_ part: String, _ start: String = "<svg>") -> Case {
        Case(testDescription: "SVG of \(part)…") { size in
            Array(start.utf8)
                + Array(String(repeating: part, count: size / part.utf8.count).utf8)
        } read: { bytes in
            _ = try? SVGDocument.checked(bytes)
            _ = SVGPictures.pixels(in: bytes)
            _ = ContentGuess.isSVG(bytes)
        }
    }

    private static let svgs: [Case] = [
        svg("href=\"#"), svg("href='a\" "), svg("src = "), svg("xml:base=\""), svg("href="),
        svg("href   "), svg("url(#"), svg("url("), svg("url(\"' "), svg("<?xml-stylesheet"),
        svg("data:"), svg("href=\"data:;base64,AAAA"), svg("href='data:;base64,AAAA'"),
        svg("data:;base64,    "), svg("<?xml a", ""), svg("<!DOCTYPE "), svg(" "), svg("<a>"),
    ]

    // MARK: - TIFF and EXIF

    private static func tiff(
        _ name: String, _ directories: @escaping @Sendable (Int) -> [UInt8]
    ) -> Case {
        Case(testDescription: "TIFF: \(name)") { size in
            Array("II".utf8) + number(42, 2) + number(8, 4) + directories(size)
        } read: { bytes in
            _ = try? HeaderReader.read(bytes, .tiff)
            _ = TIFFDirectory.start(bytes)
        }
    }

    /// An entry that has a tag, a type, a count and a value.
    private static func entry(_ tag: Int, _ value: Int) -> [UInt8] {
        number(tag, 2) + number(3, 2) + number(1, 4) + number(value, 4)
    }

    private static let tiffs: [Case] = [
        tiff("many pages") { size in
            let page = 2 + 12 + 4
            return (0..<size / page).flatMap { place in
                number(1, 2) + entry(256, 1) + number(8 + (place + 1) * page, 4)
            }
        },
        tiff("pages of many entries") { size in
            let entries = 200
            let page = 2 + 12 * entries + 4
            return (0..<max(1, size / page)).flatMap { place in
                number(entries, 2) + (0..<entries).flatMap { _ in entry(1, 1) }
                    + number(8 + (place + 1) * page, 4)
            }
        },
        tiff("pages that overlap") { size in
            // Each number is the place of the next directory, and a part of others.
            (0..<size / 4).flatMap { number(8 + 4 * $0, 4) }
        },
        Case(testDescription: "EXIF: many entries, in many segments") { size in
            let count = 1_000
            let block =
                Array("Exif\0\0II*\0".utf8) + number(8, 4) + number(count, 2)
                + (0..<count).flatMap { _ in entry(1, 1) }
            let length = block.count + 2
            let segment: [UInt8] =
                [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + block
            return [0xFF, 0xD8] + (0..<max(1, size / segment.count)).flatMap { _ in segment }
        } read: { bytes in
            _ = try? HeaderReader.read(bytes, .jpeg)
        },
        Case(testDescription: "EXIF: one directory") { size in
            Array("MM\0*".utf8) + [0, 0, 0, 8, 0xFF, 0xFF] + [UInt8](repeating: 1, count: size)
        } read: { bytes in
            _ = Orientation.read(exif: ByteReader(bytes))
        },
    ]

    // MARK: - Boxes and chunks

    private static func parts(
        _ format: ImageFormat, _ start: [UInt8], _ part: [UInt8]
    ) -> Case {
        Case(testDescription: "\(format) of tiny parts") { size in
            start + (0..<size / part.count).flatMap { _ in part }
        } read: { bytes in
            _ = try? HeaderReader.read(bytes, format)
        }
    }

    private static let others: [Case] = [
        parts(.jpeg, [0xFF, 0xD8], [0xFF, 0xE2, 0, 2]),
        parts(
            .png,
            [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + [0, 0, 0, 13] + Array("IHDR".utf8)
                + [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0] + Array("tEXt".utf8) + [0, 0, 0, 0]),
        parts(.gif, Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0], [0x21, 0xFE, 1, 1, 0]),
        parts(
            .heic, FixtureImages.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0]),
            FixtureImages.box("free", [])),
        Case(testDescription: "Radiance of many lines") { size in
            Array("#?RADIANCE\n".utf8) + [UInt8](repeating: 0x0A, count: size)
        } read: { bytes in
            _ = try? HeaderReader.read(bytes, .hdr)
        },
    ]

    @Test(arguments: svgs + tiffs + others)
    func `sixteen times the bytes take sixteen times as long, and not their square`(one: Case) {
        let growth = excessiveGrowth(from: one.size, one.input) { one.read($0) }
        #expect(growth == nil)
    }
}
