import TestSupport
import Testing

@testable import Imaging

/// TIFFs of several pages, and which of them is shown.
@Suite(.timeLimit(.minutes(1))) struct TIFFPageTests {
    /// A page of one color, with its side, tags, and the link to the next page.
    struct Page: Sendable {
        var side: Int
        var color: [[UInt8]] = [[200], [100], [50]]
        var tags: [(tag: Int, value: Int)] = []
        var photometric = 2
    }

    /// Joins pages of little-endian TIFFs. Offsets are moved, so that each page is where it was in its own file.
    private static func file(_ pages: [Page], below: [Page] = []) -> [UInt8] {
        var file: [UInt8] = [0x49, 0x49, 42, 0, 0, 0, 0, 0]
        var link = 4
        func put(_ value: Int, at place: Int) {
            for byte in 0..<4 {
                file[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * byte))
            }
        }
        func append(_ page: Page, more: [(Int, Int, [Int])] = []) -> (directory: Int, next: Int) {
            let pixels = file.count
            file += (0..<page.side * page.side).flatMap { _ in page.color.flatMap(\.self) }
            if file.count % 2 == 1 { file.append(0) }
            let bits = file.count
            file += [8, 0, 8, 0, 8, 0]
            var entries: [(Int, Int, [Int])] = [
                (256, 4, [page.side]), (257, 4, [page.side]), (259, 3, [1]),
                (262, 3, [page.photometric]), (273, 4, [pixels]), (277, 3, [3]),
                (278, 4, [page.side]), (279, 4, [3 * page.side * page.side]), (284, 3, [1]),
            ]
            entries += page.tags.map { ($0.tag, 4, [$0.value]) } + more
            let directory = file.count
            var fields: [(Int, [UInt8])] = entries.map { tag, type, values in
                var bytes = little(tag, 2) + little(type, 2) + little(values.count, 4)
                bytes += values.flatMap { little($0, type == 3 ? 2 : 4) }
                return (tag, bytes + [UInt8](repeating: 0, count: 12 - bytes.count))
            }
            fields.append((258, little(258, 2) + little(3, 2) + little(3, 4) + little(bits, 4)))
            fields.sort { $0.0 < $1.0 }
            file += little(fields.count, 2) + fields.flatMap(\.1)
            let next = file.count
            file += [0, 0, 0, 0]
            return (directory, next)
        }
        let subdirectories = below.map { append($0).directory }
        for (index, page) in pages.enumerated() {
            let isFirst = index == 0 && !subdirectories.isEmpty
            let (directory, next) = append(
                page, more: isFirst ? [(330, 4, [subdirectories[0]])] : [])
            put(directory, at: link)
            link = next
        }
        return file
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static let small = Page(side: 4, tags: [(254, 1)])
    private static let full = Page(side: 8, color: [[10], [20], [30]])

    @Test(
        arguments: [
            ("the first", [Page(side: 4), full], [], 4),
            ("a smaller copy first", [small, full], [], 8),
            ("an old smaller copy", [Page(side: 4, tags: [(255, 2)]), full], [], 8),
            ("two smaller copies", [small, Page(side: 6, tags: [(254, 1)]), full], [], 8),
            ("a page of several", [Page(side: 4, tags: [(254, 2)]), full], [], 4),
            ("a smaller copy of a page", [Page(side: 4, tags: [(254, 3)]), full], [], 8),
            ("a mask between", [small, Page(side: 6, tags: [(254, 4)]), full], [], 8),
            ("smaller copies alone", [small, Page(side: 8, tags: [(254, 1)])], [], 4),
            ("one alone", [small], [], 4), ("a smaller copy behind", [full, small], [], 8),
            ("a full one below", [small], [full], 8), ("none below", [Page(side: 4)], [full], 4),
            ("data of a sensor", [small, Page(side: 8, photometric: 32_803)], [], 4),
        ] as [(String, [Page], [Page], Int)])
    func `the first full page is shown if the first is a smaller copy`(
        name: String, pages: [Page], below: [Page], side: Int
    ) async throws {
        let tiff = Self.file(pages, below: below)
        #expect(try HeaderReader.read(tiff, .tiff).size == PixelSize(width: side, height: side))
        let pixels = try DecodedPixels(tiff)
        #expect(pixels.size == PixelSize(width: side, height: side))
        #expect(pixels.rgba(0, 0) == (side == 8 ? [10, 20, 30, 255] : [200, 100, 50, 255]))
        // In a child, too.
        let thumbnail = try await rendered(tiff, [.tiny], .isolated(.child())).thumbnails[0]
        #expect((thumbnail.width, thumbnail.height) == (side, side))
    }

    @Test(arguments: [1, 6, 8])
    func `an orientation behind the frame header of a JPEG counts`(orientation: Int) throws {
        let plain = FixtureImages.jpeg(width: 40, height: 24)
        let turned = FixtureImages.jpeg(plain, orientation: orientation)
        let exif = Array(turned[2..<(2 + turned.count - plain.count)])
        let scan = try #require(
            plain.indices.dropLast().first { plain[$0] == 0xFF && plain[$0 + 1] == 0xDA })
        let behind = Array(plain[..<scan]) + exif + Array(plain[scan...])
        let (before, after) = try (
            HeaderReader.read(turned, .jpeg), HeaderReader.read(behind, .jpeg)
        )
        #expect(before.orientation.rawValue == orientation)
        #expect(after.orientation == before.orientation)
        // The first one counts.
        let both = Array(turned[..<2]) + exif + Array(behind[2...])
        #expect(try HeaderReader.read(both, .jpeg).orientation == before.orientation)
    }

    private static func copy(_ side: Int, tags: [(tag: Int, value: Int)] = []) -> Page {
        Page(
            side: side, color: side == 32 ? [[90], [10], [10]] : [[10], [90], [10]],
            tags: [(254, 1)] + tags)
    }

    @Test(
        arguments: [
            ("none", [Page(side: 64)], [], 0),
            ("a half", [Page(side: 64), copy(32)], [], 1),
            ("a half and a quarter", [Page(side: 64), copy(32), copy(16)], [], 2),
            ("a quarter first", [Page(side: 64), copy(16), copy(32)], [], 2),
            ("a quarter alone", [Page(side: 64), copy(16)], [], 0),
            ("another size", [Page(side: 64), copy(30)], [], 0),
            ("sides rounded down", [Page(side: 65), copy(32)], [], 1),
            ("sides rounded up", [Page(side: 63), copy(32)], [], 1),
            ("another orientation", [Page(side: 64), copy(32, tags: [(274, 3)])], [], 0),
            ("a page that is none", [Page(side: 64), Page(side: 32)], [], 0),
            ("a copy of the next page", [Page(side: 64), full, copy(32)], [], 0),
            (
                "a mask between", [Page(side: 64), Page(side: 64, tags: [(254, 4)]), copy(32)], [],
                1
            ),
            ("a mask of a copy", [Page(side: 64), Page(side: 32, tags: [(254, 5)])], [], 0),
            ("a copy below", [Page(side: 64)], [copy(32)], 1),
        ] as [(String, [Page], [Page], Int)])
    func `smaller copies of a page count if each has half the sides of the one before`(
        name: String, pages: [Page], below: [Page], halvings: Int
    ) throws {
        let header = try HeaderReader.read(Self.file(pages, below: below), .tiff)
        #expect(header.halvings == halvings)
    }

    /// Each page has a color of its own here, which shows what a level is made of.
    @Test(
        arguments: [
            (
                [Page(side: 64), copy(32), copy(16)], [], [200, 100, 50], [90, 10, 10],
                [10, 90, 10]
            ),
            ([Page(side: 64), copy(32)], [], [200, 100, 50], [90, 10, 10], [90, 10, 10]),
            ([Page(side: 64)], [copy(32)], [200, 100, 50], [90, 10, 10], [90, 10, 10]),
            ([Page(side: 64)], [], [200, 100, 50], [200, 100, 50], [200, 100, 50]),
        ] as [([Page], [Page], [Int], [Int], [Int])])
    func `levels are made of the smallest copy that has at least twice their sides`(
        pages: [Page], below: [Page], large: [Int], middle: [Int], small: [Int]
    ) throws {
        let tiff = Self.file(pages, below: below)
        for (levels, wanted) in [([40, 16, 8], [large, middle, middle]), ([8], [small])] {
            let sides = levels.map { Level(name: "s\($0)", width: $0, height: $0) }
            let made = try LaneComparison.render(tiff, .jpeg, levels: sides).thumbnails
            for (thumbnail, wanted) in zip(made, wanted) {
                let pixel = try DecodedPixels(thumbnail.bytes).rgba(2, 2)
                #expect(zip(pixel, wanted).allSatisfy { abs($0 - $1) <= 3 }, "\(pixel)")
            }
        }
    }

    @Test(arguments: ["", ",subifd"])
    func `both lanes make the same picture of a pyramid`(options: String) throws {
        let tiff = try LaneComparison.canvas(width: 331, height: 277, seed: 9).file(
            ".tif[pyramid,tile,tile_width=64,tile_height=64,compression=lzw\(options)]")
        #expect(try HeaderReader.read(tiff, .tiff).halvings >= 2)
        try LaneComparison.compare(tiff, [.jpeg])
    }
}
