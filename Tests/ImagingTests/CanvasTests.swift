import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct CanvasTests {
    private static let white = RGB(red: 255, green: 255, blue: 255)
    private static let black = RGB(red: 0, green: 0, blue: 0)

    private func pixel(_ canvas: Canvas, _ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * canvas.width + x) * 3
        return (0..<3).map { canvas.buffer.bytes[start + $0] }
    }

    /// How much black there is on white, in pixels.
    private func ink(_ canvas: Canvas) -> Double {
        (0..<canvas.buffer.count).reduce(0.0) { $0 + Double(255 - canvas.buffer.bytes[$1]) }
            / (3 * 255)
    }

    @Test func `a gradient runs from its first color to its last`() throws {
        let canvas = try Canvas(width: 40, height: 100)
        canvas.gradient([(0, Self.black), (1, Self.white)])
        #expect(pixel(canvas, 20, 0)[0] <= 3)
        #expect(abs(Int(pixel(canvas, 20, 50)[0]) - 128) <= 4)
        #expect(pixel(canvas, 20, 99)[0] >= 252)
        canvas.gradient([(0, Self.black), (1, Self.white)], angle: 90)
        #expect(pixel(canvas, 0, 50)[0] <= 8 && pixel(canvas, 39, 50)[0] >= 247)
    }

    @Test func `shapes cover their exact area`() throws {
        var canvas = try Canvas(width: 100, height: 100)
        canvas.circle(x: 50.3, y: 49.8, radius: 30, color: Self.black)
        #expect(abs(ink(canvas) - .pi * 900) < 9)
        canvas = try Canvas(width: 100, height: 100)
        canvas.rectangle(x: 10.25, y: 20, width: 30.5, height: 10, color: Self.black)
        #expect(abs(ink(canvas) - 305) < 1)
        #expect(abs(Int(pixel(canvas, 10, 25)[0]) - 64) <= 2)
        canvas = try Canvas(width: 100, height: 100)
        canvas.line(from: Point(20, 20), to: Point(60, 50), width: 4, color: Self.black)
        #expect(abs(ink(canvas) - (200 + .pi * 4)) < 3)
    }

    @Test func `shapes outside the canvas are clipped`() throws {
        let canvas = try Canvas(width: 50, height: 50)
        canvas.polygon(
            [Point(-500, -20), Point(25, -20), Point(25, 900), Point(-500, 900)],
            color: Self.black)
        #expect(ink(canvas) == 1250)
        canvas.circle(x: -900, y: 20, radius: 30, color: Self.black)
        canvas.polygon(
            [Point(.nan, 0), Point(30, 0), Point(30, .infinity)], color: Self.black)
        #expect(ink(canvas) == 1250)
    }

    @Test func `an SVG document is drawn on a canvas at its own size, over white`() throws {
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" width="40" height="30">
            <rect x="10" width="20" height="30" fill="#ff0000"/>
            <rect x="30" width="10" height="30" fill="#000000" fill-opacity="0.5"/></svg>
            """
        let canvas = try Canvas(svg: Array(svg.utf8))
        #expect(canvas.width == 40 && canvas.height == 30)
        #expect(pixel(canvas, 5, 15) == [255, 255, 255])
        #expect(pixel(canvas, 20, 15) == [255, 0, 0])
        #expect(abs(Int(pixel(canvas, 35, 15)[1]) - 127) <= 1)
        #expect(throws: ImagingError.self) { try Canvas(svg: Array("<svg".utf8)) }
    }

    @Test func `a canvas is drawn on another one, scaled`() throws {
        let red = try Canvas(width: 90, height: 90, fill: RGB(red: 255, green: 0, blue: 0))
        let canvas = try Canvas(width: 100, height: 50)
        canvas.draw(red, x: 20, y: -10, width: 30, height: 40)
        #expect(pixel(canvas, 19, 10) == [255, 255, 255])
        #expect(pixel(canvas, 20, 0) == [255, 0, 0] && pixel(canvas, 49, 29) == [255, 0, 0])
        #expect(pixel(canvas, 50, 10) == [255, 255, 255])
        #expect(pixel(canvas, 30, 30) == [255, 255, 255])
    }

    @Test func `a canvas is encoded in every format`() throws {
        let canvas = FixtureImages.canvas(width: 64, height: 48)
        for (format, bytes) in [
            (ImageFormat.jpeg, try canvas.encodeJPEG()), (.webp, try canvas.encodeWebP()),
            (.png, try canvas.encodePNG()),
        ] {
            #expect(ImageFormat.sniff(bytes) == format)
            #expect(try DecodedPixels(bytes).size == canvas.buffer.size)
        }
        #expect(
            try DecodedPixels(canvas.encodePNG()).rgba(9, 9).prefix(3).map(UInt8.init)
                == pixel(canvas, 9, 9))
    }

    @Test func `a canvas has limits on its sides`() {
        #expect(throws: ImagingError.self) { try Canvas(width: 0, height: 5) }
        #expect(throws: ImagingError.self) { try Canvas(width: 20_000, height: 5) }
    }
}
