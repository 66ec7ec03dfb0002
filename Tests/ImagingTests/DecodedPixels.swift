import Testing

@testable import Imaging

/// The pixels of a thumbnail or an original, decoded by the module itself.
struct DecodedPixels {
    let buffer: PixelBuffer
    let info: ImageInfo

    /// - Parameter fit: nil decodes at full size.
    init(_ bytes: [UInt8], fit: ((PixelSize) -> PixelSize)? = nil) throws {
        try Vips.start()
        Vips.allowLoadersOfChildren()
        let format = try #require(
            ImageFormat.sniff(bytes) ?? (SVGDocument.isCompressed(bytes) == true ? .svg : nil))
        let decoder = Decoder(limits: Limits(ImagingConfiguration()))
        let file = format.isReadFromFile ? try SharedMemory(count: bytes.count) : nil
        _ = file?.write(bytes, at: 0)
        let result = try withExtendedLifetime(file) {
            try decoder.decode(
                bytes, try HeaderReader.read(bytes, format), file: file?.descriptor,
                fit: { [fit?($0) ?? $0] })
        }
        buffer = try result.pictures[0].pixels()
        info = result.info
    }

    var size: PixelSize { buffer.size }

    /// Gray as red, green and blue.
    var rgb: [UInt8] {
        let bytes = UnsafeBufferPointer(start: buffer.bytes, count: buffer.count)
        return buffer.bands == 1 ? bytes.flatMap { [$0, $0, $0] } : Array(bytes)
    }

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
        // Plain loops over bytes: thousands of pixels a picture, without optimization.
        let (bands, bytes) = (buffer.bands, buffer.bytes)
        let (green, blue) = bands < 3 ? (0, 0) : (1, 2)
        var (r, g, b, a) = (0, 0, 0, 0)
        var at = 0
        while at < buffer.count {
            let alpha = bands == 4 ? Int(bytes[at + 3]) : 255
            r += Int(bytes[at]) * alpha
            g += Int(bytes[at + green]) * alpha
            b += Int(bytes[at + blue]) * alpha
            a += alpha
            at += bands
        }
        let pixels = Double(size.width * size.height)
        return [Double(r) / 255, Double(g) / 255, Double(b) / 255, Double(a)].map { $0 / pixels }
    }
}
