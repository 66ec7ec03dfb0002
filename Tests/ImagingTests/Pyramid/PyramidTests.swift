import CPixels
import Foundation
import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct PyramidTests {
    /// Makes a pyramid in this process.
    private static func pyramid(
        _ original: [UInt8], quality: Int = 95
    ) throws -> (table: PyramidTable, bytes: [UInt8], rendering: Rendering) {
        try Vips.start()
        let format = try #require(ImageFormat.sniff(original))
        let encoding = Encoding.jpeg(
            quality: quality, background: RGB(red: 250, green: 10, blue: 20))
        let render = Render(
            original: original, header: try HeaderReader.read(original, format), levels: [],
            parts: [RenderPart(rendition: .pyramid, encoding: encoding)],
            decoder: Decoder(limits: Limits(ImagingConfiguration())))
        let rendering = try render.pyramid()
        let bytes = try #require(rendering.thumbnails.first?.bytes)
        return (try #require(PyramidTable(bytes, blob: bytes.count)), bytes, rendering)
    }

    /// Puts the tiles of a layer together.
    private static func layer(
        _ number: Int, _ table: PyramidTable, _ bytes: [UInt8], bands: Int = 3
    ) throws -> PixelBuffer {
        let layer = table.layers[number]
        let whole = try PixelBuffer(width: layer.width, height: layer.height, bands: bands)
        for row in 0..<layer.rows {
            for column in 0..<layer.columns {
                let place = table.number(layer: number, column: column, row: row)
                let tile = try DecodedPixels(Array(bytes[table.ranges[place]])).buffer
                #expect(tile.width == table.width(ofColumn: column, layer: number))
                #expect(tile.bands == bands)
                for line in 0..<tile.height {
                    let top = row * PyramidTable.side + line
                    (whole.bytes + top * whole.stride + column * PyramidTable.side * bands)
                        .update(from: tile.bytes + line * tile.stride, count: tile.stride)
                }
            }
        }
        return whole
    }

    /// Mean difference of two pictures, by every thirteenth sample, since that is slow here.
    private static func difference(_ one: PixelBuffer, _ other: PixelBuffer) -> Double {
        guard one.size == other.size, one.bands == other.bands else { return .infinity }
        var (sum, count, at) = (0, 0, 0)
        while at < one.count {
            sum += abs(Int(one.bytes[at]) - Int(other.bytes[at]))
            (count, at) = (count + 1, at + 13)
        }
        return Double(sum) / Double(count)
    }

    /// Means of two by two pixels of a whole picture.
    private static func halved(_ whole: PixelBuffer) throws -> PixelBuffer {
        let half = try PixelBuffer(
            width: (whole.width + 1) / 2, height: (whole.height + 1) / 2, bands: whole.bands)
        for row in 0..<half.height {
            pixels_halve(
                whole.bytes + 2 * row * whole.stride,
                whole.bytes + min(2 * row + 1, whole.height - 1) * whole.stride,
                Int32(whole.width), Int32(whole.bands), 0, half.bytes + row * half.stride)
        }
        return half
    }

    private static func areEqual(_ one: PixelBuffer, _ other: PixelBuffer) -> Bool {
        one.size == other.size && one.bands == other.bands
            && memcmp(one.bytes, other.bytes, one.count) == 0
    }

    @Test(
        arguments: [
            (1, 1, [[1, 1]]), (512, 512, [[512, 512]]), (513, 512, [[513, 512], [257, 256]]),
            (1025, 3, [[1025, 3], [513, 2], [257, 1]]),
            (4000, 3000, [[4000, 3000], [2000, 1500], [1000, 750], [500, 375]]),
        ])
    func `each layer is half as large as the one before, until one is a tile`(
        width: Int, height: Int, expected: [[Int]]
    ) {
        let layers = PyramidTable.layers(width: width, height: height)
        #expect(layers.map { [$0.width, $0.height] } == expected)
    }

    @Test(arguments: 1...8)
    func `the layers show the upright picture, however it is stored`(orientation: Int) throws {
        // Odd sides, so that every layer has a row or column that stands alone.
        let original = FixtureImages.jpeg(
            FixtureImages.jpeg(width: 1101, height: 623, seed: 7, quality: 95),
            orientation: orientation)
        let upright = try DecodedPixels(original).buffer
        let (table, bytes, rendering) = try Self.pyramid(original)
        #expect(table.width == upright.width && table.height == upright.height)
        #expect(rendering.info.width == upright.width)
        #expect(table.layers.count == 3)
        var want = upright
        for number in table.layers.indices {
            let layer = table.layers[number]
            #expect(want.size == PixelSize(width: layer.width, height: layer.height))
            let difference = Self.difference(try Self.layer(number, table, bytes), want)
            // Tiles have one color sample for four pixels, which shows in smaller layers.
            #expect(difference < (number == 0 ? 3 : 7), "layer \(number)")
            want = try Self.halved(want)
        }
    }

    @Test func `a gray picture has gray tiles`() throws {
        let original = FixtureImages.png(width: 600, height: 40, .gray) { x, _, _ in x % 256 }
        let (table, bytes, _) = try Self.pyramid(original)
        let header = try HeaderReader.read(Array(bytes[table.ranges[0]]), .jpeg)
        #expect(header.samples == 1)
        let gray = try Self.layer(0, table, bytes, bands: 1)
        #expect(Self.difference(gray, try DecodedPixels(original).buffer) < 2)
    }

    @Test func `transparent pixels have the background`() throws {
        let original = FixtureImages.png(width: 520, height: 30, .rgba) { _, _, band in
            band == 3 ? 0 : 90
        }
        let (table, bytes, _) = try Self.pyramid(original)
        let pixels = try Self.layer(0, table, bytes)
        let first = (0..<3).map { Int(pixels.bytes[$0]) }
        #expect(abs(first[0] - 250) < 4 && abs(first[1] - 10) < 4 && abs(first[2] - 20) < 4)
    }

    @Test func `a child makes the same pyramid as this process`() async throws {
        let original = FixtureImages.jpeg(width: 700, height: 530, seed: 3)
        let inside = try await withRenderer(.isolated(.inside)) { try await $0.pyramid(original) }
        let child = try await withRenderer(.isolated(.child())) { try await $0.pyramid(original) }
        #expect(inside.thumbnails.first?.bytes == child.thumbnails.first?.bytes)
        #expect(inside.summary == child.summary)
        #expect(child.lane == .slow)
    }

    @Test func `a picture of 100 megapixels fits into the memory of a small service`() {
        var header = Header(format: .jpeg, width: 12_000, height: 8_400)
        header.samples = 1.5
        let cost = RenderCost(pyramidOf: header, bytes: 40 << 20, isIsolated: true)
        #expect(cost.peak < ImagingConfiguration().memory)
        #expect(cost.lane == .slow)
    }

    @Test(arguments: [24, 64, 219, 472])
    func `a part of as many pixels as the renderer names fits into its memory`(mebibytes: Int)
        async throws
    {
        var configuration = ImagingConfiguration.patient
        configuration.memory = mebibytes << 20
        let renderer = try Renderer(configuration)
        let side = Int(Double(renderer.maxCutPixels).squareRoot())
        // The layer that it is made from has almost twice its sides.
        let sides = Array(repeating: PyramidTable.side, count: 2 * side / PyramidTable.side + 1)
        let tile = [UInt8](repeating: 0, count: PyramidTable.side * PyramidTable.side / 6)
        let cut = PictureCut(
            tiles: Array(repeating: tile, count: sides.count * sides.count), columns: sides,
            rows: sides, x: 0, y: 0, width: 2 * Double(side), height: 2 * Double(side),
            outWidth: side, outHeight: side, isMirrored: false, quarters: 0, colors: .all)
        #expect(RenderCost(cut: cut).peak <= configuration.memory)
        await renderer.shutdown()
    }

    @Test func `a table of other bytes is refused, and never leads outside of the blob`() throws {
        let (_, bytes, _) = try Self.pyramid(FixtureImages.jpeg(width: 600, height: 600))
        let count = try #require(PyramidTable.byteCount(bytes))
        #expect(PyramidTable(Array(bytes.prefix(count)), blob: bytes.count) != nil)
        #expect(PyramidTable(Array(bytes.prefix(count - 1)), blob: bytes.count) == nil)
        #expect(PyramidTable(bytes, blob: bytes.count - 1) == nil)
        #expect(PyramidTable(FixtureImages.html, blob: 1_000_000) == nil)
        var random = SeededGenerator(seed: 5)
        for _ in 0..<2_000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let table = PyramidTable(changed, blob: bytes.count) else { continue }
            #expect(
                table.ranges.allSatisfy { $0.lowerBound >= count && $0.upperBound <= bytes.count })
        }
    }

    @Test func `a pyramid of a child is refused unless each tile begins as a JPEG`() throws {
        let (table, bytes, _) = try Self.pyramid(FixtureImages.jpeg(width: 600, height: 600))
        #expect(PyramidTable.isWhole(bytes, width: 600, height: 600))
        #expect(!PyramidTable.isWhole(bytes, width: 600, height: 599))
        var changed = bytes
        changed[table.ranges[3].lowerBound + 1] = 0
        #expect(!PyramidTable.isWhole(changed, width: 600, height: 600))
    }

    // MARK: - Cuts

    private static func cut(
        of table: PyramidTable, _ bytes: [UInt8], x: Int, y: Int, width: Int, height: Int,
        to out: PixelSize
    ) -> PictureCut {
        let columns = 0..<table.layers[0].columns
        let rows = 0..<table.layers[0].rows
        return PictureCut(
            tiles: table.ranges[0..<columns.count * rows.count].map { Array(bytes[$0]) },
            columns: columns.map { table.width(ofColumn: $0, layer: 0) },
            rows: rows.map { table.height(ofRow: $0, layer: 0) }, x: Double(x), y: Double(y),
            width: Double(width), height: Double(height), outWidth: out.width,
            outHeight: out.height, isMirrored: false, quarters: 0, colors: .all)
    }

    /// A part of a picture, in another size by the definition.
    private static func resampled(
        _ whole: PixelBuffer, x: Int, y: Int, width: Int, height: Int, to out: PixelSize
    ) -> [Double] {
        let samples = (0..<height).flatMap { row in
            (0..<width * whole.bands).map { column in
                Double(whole.bytes[(y + row) * whole.stride + x * whole.bands + column])
            }
        }
        return Lanczos.resampled(
            samples, PixelSize(width: width, height: height), bands: whole.bands, to: out)
    }

    private static func drawn(
        _ cut: PictureCut, hasAllColors: Bool = true
    ) throws(ImagingError) -> PixelBuffer {
        try RenderWorkspace.with { (workspace) throws(ImagingError) in
            try cut.drawn(in: workspace, hasAllColors: hasAllColors).pixels()
        }
    }

    @Test func `a cut is what cropping and resampling the whole picture gives`() throws {
        let (table, bytes, _) = try Self.pyramid(
            FixtureImages.png(width: 1_100, height: 700, .gray) { x, y, _ in
                (x * x / 90 + y * 3) % 256
            })
        let whole = try Self.layer(0, table, bytes, bands: 1)
        var random = SeededGenerator(seed: 11)
        for _ in 0..<20 {
            let width = Int.random(in: 1...1100, using: &random)
            let height = Int.random(in: 1...700, using: &random)
            let x = Int.random(in: 0...1100 - width, using: &random)
            let y = Int.random(in: 0...700 - height, using: &random)
            let out = PixelSize(
                width: Int.random(in: 1...width, using: &random),
                height: Int.random(in: 1...height, using: &random))
            let want = Self.resampled(whole, x: x, y: y, width: width, height: height, to: out)
            let cut = Self.cut(of: table, bytes, x: x, y: y, width: width, height: height, to: out)
            let drawn = try Self.drawn(cut)
            #expect(drawn.size == out && drawn.bands == 1)
            let isNear = want.enumerated().allSatisfy {
                abs(Double(drawn.bytes[$0.offset]) - min(255, max(0, $0.element))) < 1.01
            }
            #expect(isNear, "\(width)×\(height) at \(x),\(y) to \(out)")
        }
    }

    @Test(arguments: [(true, 2.0), (false, 4.0)])
    func `a cut has the colors of the picture`(hasAllColors: Bool, most: Double) throws {
        let (table, bytes, _) = try Self.pyramid(
            FixtureImages.jpeg(width: 1100, height: 700, seed: 9))
        let whole = try Self.layer(0, table, bytes)
        for (x, y, width, height) in [(401, 303, 501, 299), (512, 0, 300, 700), (1, 1, 77, 75)] {
            let out = PixelSize(width: width * 3 / 4, height: height * 2 / 3)
            let want = Self.resampled(whole, x: x, y: y, width: width, height: height, to: out)
            let drawn = try Self.drawn(
                Self.cut(of: table, bytes, x: x, y: y, width: width, height: height, to: out),
                hasAllColors: hasAllColors)
            let sum = want.enumerated().reduce(0.0) {
                $0 + abs(Double(drawn.bytes[$1.offset]) - min(255, max(0, $1.element)))
            }
            #expect(sum / Double(want.count) < most, "\(sum / Double(want.count))")
        }
    }

    @Test func `a cut survives the way to a child, and other bytes are refused`() throws {
        let (table, bytes, _) = try Self.pyramid(FixtureImages.jpeg(width: 600, height: 520))
        var cut = Self.cut(
            of: table, bytes, x: 3, y: 4, width: 100, height: 50,
            to: PixelSize(width: 10, height: 9))
        cut.isMirrored = true
        cut.quarters = 3
        cut.colors = .bitonal
        cut.x = 3.5
        let message = cut.bytes
        #expect(PictureCut(bytes: message) == cut)
        #expect(PictureCut(bytes: Array(message.dropLast())) == nil)
        #expect(PictureCut(bytes: message + [0]) == nil)
        var random = SeededGenerator(seed: 3)
        for _ in 0..<300 {
            var changed = message
            for _ in 0..<2 {
                changed[Int.random(in: 0..<80, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let other = PictureCut(bytes: changed), other.memory < 64 << 20 else { continue }
            // Draws or fails, and reads nothing outside of the tiles.
            _ = try? Self.drawn(other)
        }
    }

    @Test func `a broken tile changes nothing for the next one`() throws {
        let (table, bytes, _) = try Self.pyramid(FixtureImages.jpeg(width: 300, height: 200))
        let tile = Array(bytes[table.ranges[0]])
        let size = PixelSize(width: 300, height: 200)
        try RenderWorkspace.with { (workspace) throws(ImagingError) in
            let (before, after) = (
                Planes(size, .both, in: workspace), Planes(size, .both, in: workspace)
            )
            try before.decodeTile(tile, size, left: 0, top: 0)
            let expected = try before.pixels()
            for count in [3, 20, 200, 400, 2_000] {
                do throws(ImagingError) {
                    try after.decodeTile(Array(tile.prefix(count)), size, left: 0, top: 0)
                    Issue.record("\(count) bytes are a picture")
                } catch {
                    try after.decodeTile(tile, size, left: 0, top: 0)
                    #expect(Self.areEqual(expected, try after.pixels()), "after \(count) bytes")
                }
            }
        }
    }

    @Test(
        arguments: [
            (false, 1, [2, 0, 3, 1]), (false, 2, [3, 2, 1, 0]), (false, 3, [1, 3, 0, 2]),
            (true, 0, [1, 0, 3, 2]), (true, 1, [3, 1, 2, 0]), (true, 2, [2, 3, 0, 1]),
            (true, 3, [0, 2, 1, 3]),
        ])
    func `a cut is mirrored first, then turned clockwise`(
        isMirrored: Bool, quarters: Int, expected: [Int]
    ) throws {
        // Four fields of 32×32, numbered row by row by their brightness.
        let original = FixtureImages.png(width: 64, height: 64, .gray) { x, y, _ in
            (y / 32 * 2 + x / 32) * 80
        }
        let (table, bytes, _) = try Self.pyramid(original)
        var cut = Self.cut(
            of: table, bytes, x: 0, y: 0, width: 64, height: 64,
            to: PixelSize(width: 64, height: 64))
        cut.isMirrored = isMirrored
        cut.quarters = quarters
        cut.colors = .gray
        let drawn = try Self.drawn(cut)
        let seen = [(16, 16), (48, 16), (16, 48), (48, 48)].map { x, y in
            (Int(drawn.bytes[y * 64 + x]) + 40) / 80
        }
        #expect(seen == expected)
    }

    @Test func `bitonal pixels are black or white`() throws {
        let (table, bytes, _) = try Self.pyramid(FixtureImages.jpeg(width: 200, height: 100))
        var cut = Self.cut(
            of: table, bytes, x: 0, y: 0, width: 200, height: 100,
            to: PixelSize(width: 90, height: 45))
        cut.colors = .bitonal
        let drawn = try Self.drawn(cut)
        #expect(drawn.bands == 1)
        #expect((0..<drawn.count).allSatisfy { [0, 255].contains(drawn.bytes[$0]) })
        #expect(Set((0..<drawn.count).map { drawn.bytes[$0] }).count == 2)
    }
}
