import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct PictureSummaryTests {
    private func summary(
        _ original: [UInt8], _ levels: [Level] = Level.defaults
    ) async throws -> PictureSummary {
        try await rendered(original, levels.map { Rendition(level: $0, format: .jpeg) }).summary
    }

    @Test func `a rendering has a summary with the exact size of the original as seen`()
        async throws
    {
        let canvas = try Canvas(
            width: 301, height: 200, fill: RGB(red: 30, green: 90, blue: 160))
        canvas.rectangle(
            x: 100, y: 50, width: 100, height: 100, color: RGB(red: 240, green: 200, blue: 20))
        let jpeg = try canvas.encodeJPEG(quality: 92)
        let upright = try await summary(jpeg)
        #expect((upright.width, upright.height) == (301, 200))
        let turned = try await summary(FixtureImages.jpeg(jpeg, orientation: 6))
        #expect((turned.width, turned.height) == (200, 301))
        // Landscape and portrait differ in the hash, too.
        #expect(upright.thumbHash[4] & 0x80 != turned.thumbHash[4] & 0x80)
        #expect(abs(Int(upright.color.blue) - 160) < 8)
        #expect(abs(Int(turned.color.blue) - 160) < 8)
    }

    @Test func `a summary hardly depends on the rendered levels`() async throws {
        let original = FixtureImages.jpeg(width: 680, height: 1000, seed: 4)
        let all = try await summary(original)
        let one = try await summary(original, [Level.defaults[3]])
        let differing = zip(all.thumbHash, one.thumbHash).filter { $0 != $1 }.count
        #expect(all.thumbHash.count == one.thumbHash.count)
        #expect(differing <= 4)
    }

    @Test(arguments: ["#000000", "#0a0b0c", "#ffffff"])
    func `a color is written with six digits and read back`(text: String) throws {
        #expect(try #require(RGB(hex: text)).hex == text)
    }

    @Test(arguments: ["", "000000", "#00000", "#0000000", "#00000g", "#+12345"])
    func `a text other than six hexadecimal digits is not a color`(text: String) {
        #expect(RGB(hex: text) == nil)
    }
}

@Suite(.timeLimit(.minutes(1))) struct DominantColorTests {
    private static let red = RGB(red: 200, green: 30, blue: 40)
    private static let green = RGB(red: 20, green: 140, blue: 60)

    private func near(_ one: RGB, _ other: RGB, _ tolerance: Int = 6) -> Bool {
        [(one.red, other.red), (one.green, other.green), (one.blue, other.blue)]
            .allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }

    @Test(arguments: [(0.6, red), (0.4, green)])
    func `the dominant color is that of the larger part, not the mean`(part: Double, expected: RGB)
        throws
    {
        let canvas = try Canvas(width: 60, height: 90, fill: Self.green)
        canvas.rectangle(x: 0, y: 0, width: 60, height: 90 * part, color: Self.red)
        #expect(near(canvas.buffer.dominantColor, expected))
    }

    @Test func `grain and shades count as one color, even on the edge of a cell`() throws {
        // 128 is where one cell of the cube ends and the next begins.
        let blue = RGB(red: 32, green: 64, blue: 128)
        let canvas = try Canvas(width: 80, height: 80, fill: blue)
        canvas.rectangle(x: 0, y: 0, width: 80, height: 32, color: Self.red)
        canvas.grain(seed: 7, strength: 0.03)
        #expect(near(canvas.buffer.dominantColor, blue))
    }

    @Test func `transparent pixels don't count for the dominant color`() throws {
        let pixels = try PixelBuffer(width: 10, height: 10, bands: 4)
        for index in 0..<100 {
            let color: [UInt8] = index < 70 ? [0, 0, 0, 0] : [200, 30, 40, 255]
            for (band, value) in color.enumerated() { pixels.bytes[index * 4 + band] = value }
        }
        #expect(pixels.dominantColor == Self.red)
        for index in 0..<400 { pixels.bytes[index] = 0 }
        #expect(pixels.dominantColor == RGB(red: 255, green: 255, blue: 255))
    }

    @Test func `the dominant color of a gray picture is gray`() throws {
        let pixels = try PixelBuffer(width: 9, height: 9, bands: 1)
        for index in 0..<81 { pixels.bytes[index] = 77 }
        #expect(pixels.dominantColor == RGB(red: 77, green: 77, blue: 77))
    }
}

@Suite(.timeLimit(.minutes(1))) struct ThumbHashTests {
    /// Pictures by formula and the hashes that an independent implementation of the published
    /// algorithm gives for them, in double precision.
    private static let vectors: [(String, Int, Int, @Sendable (Int, Int) -> [Int], String)] = [
        (
            "portrait", 66, 100, { [$0 * 7 + $1 * 3, $0 * $0 + $1, ($0 ^ $1) * 5] },
            "5e08061504666345778373630887767930e9b5fc77"
        ),
        (
            "landscape", 100, 40, { [$0 * 2, $1 * 5, 255 - (($0 + $1) & 255)] },
            "600506539483878780878787808208f878"
        ),
        (
            "square", 32, 32, { [$0 * 8, $1 * 8, ($0 * $1) >> 2] },
            "d9090e1f1a70778790888887887888888887777780708f08"
        ),
        (
            "transparent", 50, 60, { [$0 * 5, $1 * 4, $0 * $1, $0 * 5 + $1] },
            "603886140e288209a97678862709aaa26f07a274a576887707"
        ),
        (
            "sliver", 100, 1, { x, _ in [x, 2 * x, 255 - x] },
            "dd93390199878787888808788587bf78f8"
        ),
        (
            "clear", 8, 8, { _, _ in [10, 20, 30, 0] },
            "00088205000000000000000000000000000000000000000000"
        ),
        ("gray", 40, 30, { [$0 * 6 + $1] }, "20081a058070777877787887878787870000000000"),
    ]

    private func picture(
        _ width: Int, _ height: Int, _ color: (Int, Int) -> [Int]
    ) throws -> PixelBuffer {
        let bands = color(0, 0).count
        let pixels = try PixelBuffer(width: width, height: height, bands: bands)
        for y in 0..<height {
            for x in 0..<width {
                for (band, value) in color(x, y).enumerated() {
                    pixels.bytes[(y * width + x) * bands + band] = UInt8(value & 255)
                }
            }
        }
        return pixels
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(arguments: vectors.indices)
    func `ThumbHash gives the bits of the published algorithm`(index: Int) throws {
        let (name, width, height, color, expected) = Self.vectors[index]
        let hash = hex(ThumbHash.encode(try picture(width, height, color)))
        #expect(hash == expected, "\(name)")
    }
}
