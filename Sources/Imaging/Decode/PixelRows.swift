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
    /// Decodes all rows once, for each of the sizes.
    mutating func resampled(
        to sizes: [PixelSize], within deadline: RenderDeadline
    ) throws(ImagingError) -> [PixelBuffer] {
        let resampling = try Resampling(
            size, bands: bands, spanX: Double(size.width), spanY: Double(size.height), to: sizes)
        let line = try PixelBuffer(width: size.width, height: 1, bands: bands)
        for row in 0..<size.height {
            if row % 16 == 0 { try deadline.check() }
            try readRow(row, to: line.bytes)
            resampling.push(line.bytes, line.stride, 1)
        }
        return resampling.results
    }
}
