import CPixels
import CVips

/// An opaque 8-bit RGB picture to draw on: placeholders, contact sheets, demo pictures, fixtures.
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

    /// Draws an SVG document in the size that it has, over white.
    ///
    /// In this process and without looking through it first: for documents that the program itself
    /// writes, never for ones from outside.
    package convenience init(svg: [UInt8]) throws(ImagingError) {
        try Vips.start()
        let document = svg.withUnsafeBufferPointer { bytes in
            Result { () throws(ImagingError) in
                let picture = try VipsPicture.open(bytes, .svg)
                let buffer = try PixelBuffer(
                    width: picture.width, height: picture.height, bands: 3)
                var rows = buffer.bytes
                try picture.readRows(within: .none) { pixels, stride, count in
                    for row in 0..<count {
                        pixels_flatten(
                            pixels + row * stride, buffer.width, 255, 255, 255, rows)
                        rows += buffer.stride
                    }
                }
                return buffer
            }
        }
        self.init(try document.get())
    }

    /// The pixels, rows from the top without gaps, for as long as the call lasts.
    package func withPixels<Value>(
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> Value
    ) -> Value {
        body(UnsafeMutableBufferPointer(start: buffer.bytes, count: buffer.count))
    }

    var pixels: pixels_canvas {
        pixels_canvas(rgb: buffer.bytes, width: Int32(width), height: Int32(height))
    }
}
