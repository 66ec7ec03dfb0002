import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct DominantColourTests {
    private static let red = RGB(red: 200, green: 30, blue: 40)
    private static let green = RGB(red: 20, green: 140, blue: 60)

    private func near(_ one: RGB, _ other: RGB, _ tolerance: Int = 6) -> Bool {
        [(one.red, other.red), (one.green, other.green), (one.blue, other.blue)]
            .allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }

    @Test(arguments: [(0.6, red), (0.4, green)])
    func `is the colour of the larger part, not the mean`(part: Double, expected: RGB) throws {
        let canvas = try Canvas(width: 60, height: 90, fill: Self.green)
        canvas.rectangle(x: 0, y: 0, width: 60, height: 90 * part, colour: Self.red)
        #expect(near(DominantColour.find(canvas.buffer), expected))
    }

    @Test func `grain and shades count as one colour, also on the edge of a cell`() throws {
        // 128 is where one cell of the cube ends and the next begins.
        let blue = RGB(red: 32, green: 64, blue: 128)
        let canvas = try Canvas(width: 80, height: 80, fill: blue)
        canvas.rectangle(x: 0, y: 0, width: 80, height: 32, colour: Self.red)
        canvas.grain(seed: 7, strength: 0.03)
        #expect(near(DominantColour.find(canvas.buffer), blue))
    }

    @Test func `transparent pixels don't count`() throws {
        let pixels = try PixelBuffer(width: 10, height: 10, bands: 4)
        for index in 0..<100 {
            let colour: [UInt8] = index < 70 ? [0, 0, 0, 0] : [200, 30, 40, 255]
            for (band, value) in colour.enumerated() { pixels.bytes[index * 4 + band] = value }
        }
        #expect(DominantColour.find(pixels) == Self.red)
        for index in 0..<400 { pixels.bytes[index] = 0 }
        #expect(DominantColour.find(pixels) == RGB(red: 255, green: 255, blue: 255))
    }

    @Test func `grey pictures have a grey`() throws {
        let pixels = try PixelBuffer(width: 9, height: 9, bands: 1)
        for index in 0..<81 { pixels.bytes[index] = 77 }
        #expect(DominantColour.find(pixels) == RGB(red: 77, green: 77, blue: 77))
    }
}
