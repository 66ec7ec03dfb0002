import TestSupport
import Testing

@testable import Imaging

/// What libvips makes of pixels in its lane, beside values that follow from the pictures.
@Suite(.timeLimit(.minutes(1))) struct LibvipsLaneTests {
    private func buffer(
        _ width: Int, _ height: Int, _ bands: Int, _ sample: (Int, Int, Int) -> Int
    ) throws -> PixelBuffer {
        let buffer = try PixelBuffer(width: width, height: height, bands: bands)
        for y in 0..<height {
            for x in 0..<width {
                for band in 0..<bands {
                    buffer.bytes[(y * width + x) * bands + band] = UInt8(sample(x, y, band))
                }
            }
        }
        return buffer
    }

    private func bytes(_ buffer: PixelBuffer) -> [UInt8] {
        Array(UnsafeBufferPointer(start: buffer.bytes, count: buffer.count))
    }

    private static let sizes: [(Int, Int, Int, Int)] = [
        (64, 64, 32, 32), (100, 70, 33, 17), (7, 5, 3, 2), (1, 1, 1, 1), (2, 300, 1, 11),
        (300, 2, 11, 1), (640, 31, 639, 30), (33, 33, 33, 20), (33, 33, 20, 33), (2000, 9, 3, 3),
        (9, 2000, 3, 3), (257, 129, 16, 16),
    ]

    @Test(arguments: sizes, [1, 3, 4])
    func `a picture of one color stays that color`(size: (Int, Int, Int, Int), bands: Int) throws {
        let color = [201, 17, 255, 128]
        let from = try buffer(size.0, size.1, bands) { _, _, band in color[band] }
        let to = try from.resampled(to: PixelSize(width: size.2, height: size.3))
        #expect((to.width, to.height, to.bands) == (size.2, size.3, bands))
        for index in 0..<to.count {
            #expect(abs(Int(to.bytes[index]) - color[index % bands]) <= (bands == 4 ? 1 : 0))
        }
    }

    @Test func `every size is exactly the one that was asked for`() throws {
        var random = SeededGenerator(seed: 41)
        for _ in 0..<300 {
            let (width, height) = (
                Int.random(in: 1...700, using: &random), Int.random(in: 1...90, using: &random)
            )
            let size = PixelSize(
                width: Int.random(in: 1...width, using: &random),
                height: Int.random(in: 1...height, using: &random))
            let from = try PixelBuffer(width: width, height: height, bands: 1)
            #expect(try from.resampled(to: size).size == size)
        }
    }

    @Test func `a transparent pixel's color does not bleed into its neighbors`() throws {
        let from = try buffer(40, 40, 4) { x, _, _ in
            // Opaque white to the left, transparent black to the right.
            x < 20 ? 255 : 0
        }
        let to = try from.resampled(to: PixelSize(width: 10, height: 10))
        for index in 0..<100 where to.bytes[4 * index + 3] > 8 {
            for band in 0..<3 { #expect(to.bytes[4 * index + band] >= 250) }
        }
    }

    @Test func `a half transparent edge is weighed by its alpha`() throws {
        // Columns of opaque red and of green with an alpha of 85: 3 to 1 in a mean of both.
        let colors = [[200, 0, 0, 255], [0, 200, 0, 85]]
        let from = try buffer(80, 8, 4) { x, _, band in colors[x % 2][band] }
        let to = try from.resampled(to: PixelSize(width: 10, height: 4))
        let pixel = (0..<4).map { Int(to.bytes[4 * (2 * 10 + 5) + $0]) }
        #expect(zip(pixel, [150, 50, 0, 170]).allSatisfy { abs($0 - $1) <= 2 }, "\(pixel)")
    }

    /// Display P3 in sRGB, computed from the primaries of both.
    @Test(arguments: [
        ([200, 100, 50], [215, 93, 31]), ([50, 150, 60], [0, 153, 44]),
        ([255, 128, 0], [255, 119, 0]), ([60, 60, 200], [60, 60, 208]),
    ])
    func `a wide profile becomes sRGB`(samples: [Int], expected: [Int]) throws {
        for color in [FixtureImages.PNGColor.rgb, .rgba] {
            let png = FixtureImages.png(
                width: 60, height: 40, color,
                chunks: [("iCCP", FixtureImages.iccp(FixtureImages.wideProfile))]
            ) { _, _, band in band < 3 ? samples[band] : 255 }
            let pixel = try DecodedPixels(png) { _ in PixelSize(width: 20, height: 13) }.rgba(9, 6)
            #expect(zip(pixel, expected + [255]).allSatisfy { abs($0 - $1) <= 2 }, "\(pixel)")
        }
    }

    @Test(arguments: 1...8)
    func `pixels are turned and mirrored by the EXIF orientation`(value: Int) throws {
        // What is stored as a 3 × 2 picture, rows from the top.
        let stored = try buffer(3, 2, 1) { x, y, _ in y * 3 + x + 1 }
        let seen: [Int: [UInt8]] = [
            1: [1, 2, 3, 4, 5, 6], 2: [3, 2, 1, 6, 5, 4], 3: [6, 5, 4, 3, 2, 1],
            4: [4, 5, 6, 1, 2, 3], 5: [1, 4, 2, 5, 3, 6], 6: [4, 1, 5, 2, 6, 3],
            7: [6, 3, 5, 2, 4, 1], 8: [3, 6, 2, 5, 1, 4],
        ]
        let turned = try stored.oriented(Orientation(exif: value))
        #expect(turned.width == (value >= 5 ? 2 : 3))
        #expect(bytes(turned) == seen[value])
    }

    @Test func `turning works across tiles of the kernel`() throws {
        let from = try buffer(70, 45, 3) { x, y, band in (x * 3 + y * 5 + band) & 255 }
        let there = try from.oriented(.turnedRight)
        #expect(bytes(try there.oriented(.turnedLeft)) == bytes(from))
    }

    @Test func `transparent pixels are flattened on the background`() throws {
        let from = try buffer(1, 1, 4) { _, _, band in [200, 100, 0, 51][band] }
        let flat = try from.flattened(on: RGB(red: 0, green: 255, blue: 100))
        #expect(bytes(flat) == [40, 224, 80])
    }

    @Test func `a child that renders JPEGs without libvips gets no picture that needs it`()
        async throws
    {
        let jpeg = FixtureImages.jpeg(width: 120, height: 90)
        let level = Level(name: "s", width: 40, height: 40)
        try await withRenderer(.isolated(.child())) { renderer in
            for (format, lane, children) in [
                (ThumbnailFormat.jpeg, Lane.planar, 1), (.jpeg, .planar, 1), (.png, .libvips, 2),
            ] {
                let rendition = Rendition(level: level, format: format)
                let made = try await renderer.render(jpeg, [rendition])
                #expect(made.thumbnails.map(\.lane) == [lane])
                #expect(renderer.children.started == children)
            }
        }
    }
}
