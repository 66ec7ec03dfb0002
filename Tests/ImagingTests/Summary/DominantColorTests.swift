import TestSupport
import Testing

@testable import Imaging

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
