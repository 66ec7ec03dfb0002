import Testing

@testable import Imaging

/// Pixels to look at: of a thumbnail or an original, decoded by the module itself.
struct DecodedPixels {
    let buffer: PixelBuffer
    let info: ImageInfo

    /// - Parameter fit: nil decodes at full size.
    init(_ bytes: [UInt8], fit: ((PixelSize) -> PixelSize)? = nil) throws {
        try Vips.start()
        Vips.allowLoadersOfChildren()
        let format = try #require(
            ImageFormat.sniff(bytes) ?? (SVGDocument.isCompressed(bytes) ? .svg : nil))
        let decoder = Decoder(limits: Limits(ImagingConfiguration()))
        let file = format.isReadFromFile ? try SharedMemory(count: bytes.count) : nil
        _ = file?.write(bytes, at: 0)
        let result = try withExtendedLifetime(file) {
            try decoder.decode(
                bytes, try Header.read(bytes, format), file: file?.descriptor, fit: fit ?? { $0 })
        }
        buffer = result.pixels
        info = result.info
    }

    var size: PixelSize { buffer.size }

    /// Red, green, blue, alpha, whatever the bands.
    func rgba(_ x: Int, _ y: Int) -> [Int] {
        let start = y * buffer.stride + x * buffer.bands
        let samples = (0..<buffer.bands).map { Int(buffer.bytes[start + $0]) }
        switch samples.count {
        case 1: return [samples[0], samples[0], samples[0], 255]
        case 3: return samples + [255]
        default: return samples
        }
    }

    /// Averages of red, green and blue, weighed by alpha, and of alpha.
    var means: [Double] {
        var sums = [0.0, 0, 0, 0]
        for y in 0..<size.height {
            for x in 0..<size.width {
                let pixel = rgba(x, y).map(Double.init)
                for band in 0..<3 { sums[band] += pixel[band] * pixel[3] / 255 }
                sums[3] += pixel[3]
            }
        }
        return sums.map { $0 / Double(size.width * size.height) }
    }
}
