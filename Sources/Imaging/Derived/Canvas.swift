import CPixels

/// An opaque 8-bit RGB picture to draw on: placeholders, contact sheets, demo pictures, fixtures.
///
/// Coordinates are pixels from the top left corner, `y` downwards. Fractions are anti-aliased,
/// shapes are clipped to the canvas. Drawing is deterministic. One thread at a time.
package final class Canvas {
    package var width: Int { buffer.width }
    package var height: Int { buffer.height }
    let buffer: PixelBuffer

    /// Makes a canvas with sides of 1…16,383 pixels.
    ///
    /// - Throws: ``ImagingError/overLimit(reason:)`` for other sides,
    ///   ``ImagingError/misconfigured(reason:)`` if memory is short.
    package init(
        width: Int, height: Int, fill color: RGB = RGB(red: 255, green: 255, blue: 255)
    ) throws(ImagingError) {
        guard 1...16_383 ~= width, 1...16_383 ~= height else {
            throw .overLimit(reason: "a canvas has 1…16,383 pixels a side, not \(width)×\(height)")
        }
        buffer = try PixelBuffer(width: width, height: height, bands: 3)
        fill(color)
    }

    init(_ buffer: PixelBuffer) {
        self.buffer = buffer
    }

    /// Draws an SVG document at its own size, over white.
    ///
    /// Runs in this process and without checks: only for documents that the program itself writes.
    package convenience init(svg: [UInt8]) throws(ImagingError) {
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

    /// Gives access to the pixels during the call: rows from the top, without gaps.
    package func withPixels<Value>(
        _ body: (UnsafeMutableBufferPointer<UInt8>) -> Value
    ) -> Value {
        body(UnsafeMutableBufferPointer(start: buffer.bytes, count: buffer.count))
    }

    var pixels: pixels_canvas {
        pixels_canvas(rgb: buffer.bytes, width: Int32(width), height: Int32(height))
    }
}

extension Canvas {
    /// Returns a baseline JPEG, 4:2:0, without metadata. Blocks while encoding, like the others.
    package func encodeJPEG(quality: Int = 85) throws(ImagingError) -> [UInt8] {
        try encode(.jpeg(quality: quality, background: RGB(red: 255, green: 255, blue: 255)))
    }

    package func encodeWebP(quality: Int = 80) throws(ImagingError) -> [UInt8] {
        try encode(.webp(quality: quality, effort: ImagingConfiguration().webpEffort))
    }

    package func encodePNG() throws(ImagingError) -> [UInt8] {
        try encode(.png(compression: ImagingConfiguration().pngCompression))
    }

    private func encode(_ encoding: Encoding) throws(ImagingError) -> [UInt8] {
        try encoding.encode(buffer)
    }
}
