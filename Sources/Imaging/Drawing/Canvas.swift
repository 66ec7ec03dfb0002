import CPixels

/// An opaque 8-bit RGB picture to draw on: posters of the demo origin, placeholders, fixtures.
///
/// Coordinates are pixels from the top left corner, `y` downwards; fractions are anti-aliased, what
/// lies outside is clipped. Everything is deterministic. Not for use from two threads at a time.
package final class Canvas {
    package var width: Int { buffer.width }
    package var height: Int { buffer.height }
    let buffer: PixelBuffer

    /// Both sides are 1…16,383 pixels. Fails where there is no memory.
    package init(
        width: Int, height: Int, fill colour: RGB = RGB(red: 255, green: 255, blue: 255)
    ) throws(ImagingError) {
        guard 1...16_383 ~= width, 1...16_383 ~= height else {
            throw .overLimit(reason: "a canvas has 1…16,383 pixels a side, not \(width)×\(height)")
        }
        buffer = try PixelBuffer(width: width, height: height, bands: 3)
        fill(colour)
    }

    init(_ buffer: PixelBuffer) {
        self.buffer = buffer
    }

    var pixels: pixels_canvas {
        pixels_canvas(rgb: buffer.bytes, width: Int32(width), height: Int32(height))
    }
}
