import CPixels

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An opaque 8-bit RGB picture to lay others on: contact sheets, demo pictures, fixtures.
///
/// Coordinates are pixels from the top left corner, `y` downwards. One thread at a time.
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
        for pixel in 0..<width * height {
            buffer.bytes[3 * pixel] = color.red
            buffer.bytes[3 * pixel + 1] = color.green
            buffer.bytes[3 * pixel + 2] = color.blue
        }
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

    /// Lays another canvas on this one, scaled by libvips to a rectangle, which is rounded to whole
    /// pixels, at least one. Does nothing if memory is short.
    package func draw(
        _ canvas: Canvas, x: Double, y: Double, width: Double, height: Double
    ) {
        let size = PixelSize(
            width: max(1, Int(clamped: width.rounded())),
            height: max(1, Int(clamped: height.rounded())))
        guard let scaled = try? canvas.buffer.resampled(to: size) else { return }
        lay(scaled, x: Int(clamped: x.rounded()), y: Int(clamped: y.rounded()))
    }

    /// Copies a picture in gray or RGB, as far as it is within the canvas.
    func lay(_ picture: PixelBuffer, x: Int, y: Int) {
        let (left, right) = (max(0, x), min(width, .clampedSum(x, picture.width)))
        let (top, bottom) = (max(0, y), min(height, .clampedSum(y, picture.height)))
        guard left < right, top < bottom else { return }
        for row in top..<bottom {
            let from =
                picture.bytes + (row - y) * picture.stride + (left - x) * picture.bands
            let to = buffer.bytes + row * buffer.stride + left * 3
            if picture.bands == 3 {
                memcpy(to, from, (right - left) * 3)
            } else {
                for column in 0..<right - left {
                    for band in 0..<3 { to[column * 3 + band] = from[column] }
                }
            }
        }
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
