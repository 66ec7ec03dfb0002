import CPixels

/// Pixels that this module decodes itself, row by row, so that the whole picture is never in memory.
protocol PixelRows {
    /// As stored.
    var size: PixelSize { get }
    /// 3 for sRGB, 4 for sRGB with straight alpha.
    var bands: Int { get }

    /// Decodes the next row from the top; called once for each.
    ///
    /// - Parameter to: has room for `width × bands` bytes.
    mutating func readRow(_ row: Int, to: UnsafeMutablePointer<UInt8>) throws(ImagingError)
}

extension PixelRows {
    mutating func resampled(
        to wanted: PixelSize, within deadline: RenderDeadline
    ) throws(ImagingError) -> PixelBuffer {
        let result = try PixelBuffer(width: wanted.width, height: wanted.height, bands: bands)
        let resampler = pixels_resampler_new(
            Int32(size.width), Int32(size.height), Int32(bands), Double(size.width),
            Double(size.height), result.bytes, Int32(wanted.width), Int32(wanted.height))
        guard let resampler else { throw PixelBuffer.noMemory(size.width, size.height) }
        defer { pixels_resampler_free(resampler) }
        let line = try PixelBuffer(width: size.width, height: 1, bands: bands)
        for row in 0..<size.height {
            if row % 16 == 0 { try deadline.check() }
            try readRow(row, to: line.bytes)
            pixels_resampler_push(resampler, line.bytes, line.stride, 1)
        }
        return result
    }
}
