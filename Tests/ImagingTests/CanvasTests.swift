import TestSupport
import Testing

@testable import Imaging

@Suite(.timeLimit(.minutes(1))) struct CanvasTests {
    private func pixel(_ canvas: Canvas, _ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * canvas.width + x) * 3
        return (0..<3).map { canvas.buffer.bytes[start + $0] }
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
