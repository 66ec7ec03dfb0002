/// Decodes a bitmap row by row from the top. libvips reads bitmaps with ImageMagick only, which is
/// not safe for untrusted files.
struct BMPRows {
    private let bytes: [UInt8]
    private let header: BMPHeader
    /// The place of the rows in `bytes`, which is the file or its expanded runs.
    private let offset: Int
    private let stride: Int
    private let bitsPerPixel: Int

    var size: PixelSize { header.header.size }
    /// 3 for sRGB, 4 for sRGB with straight alpha.
    var bands: Int { header.hasAlpha ? 4 : 3 }

    /// A few bytes of runs stand for any number of pixels, all of which must be in memory.
    private static let maxRunPixels = 16_000_000

    init(_ original: [UInt8], _ header: BMPHeader) throws(ImagingError) {
        self.header = header
        guard header.offset <= original.count else { throw Self.truncated }
        if header.compression == .none {
            bytes = original
            offset = header.offset
            bitsPerPixel = header.bitsPerPixel
            stride = (header.width * bitsPerPixel + 31) / 32 * 4
            let last = (header.width * bitsPerPixel + 7) / 8
            // Some writers omit the padding of the last row.
            let wanted = Int.clampedSum(.clampedProduct(stride, header.height - 1), last)
            guard original.count - offset >= wanted else {
                throw Self.truncated
            }
        } else {
            guard header.header.pixels <= Self.maxRunPixels else {
                throw .overLimit(
                    reason: "\(header.width)×\(header.height) pixels are over the limit of"
                        + " \(Self.maxRunPixels) for a BMP with runs")
            }
            bytes = try Self.expanded(original, header)
            offset = 0
            bitsPerPixel = 8
            stride = header.width
        }
    }

    private static let truncated = ImagingError.broken(reason: "the BMP ends within its pixels")

    /// Expands the run lengths of BI_RLE8 and BI_RLE4 to a palette index per pixel, rows in the order of
    /// the file. Skipped pixels are 0.
    private static func expanded(
        _ original: [UInt8], _ header: BMPHeader
    ) throws(ImagingError) -> [UInt8] {
        var indices = [UInt8](repeating: 0, count: header.width * header.height)
        var reader = ByteReader(original)
        _ = reader.skip(header.offset)
        var (x, y) = (0, 0)
        let isNarrow = header.compression == .runs4
        func put(_ index: UInt8) {
            // Pixels beyond the edge are dropped.
            if x < header.width, y < header.height { indices[y * header.width + x] = index }
            x += 1
        }
        func pixel(_ byte: Int, _ place: Int) -> UInt8 {
            guard isNarrow else { return UInt8(byte) }
            return UInt8(place % 2 == 0 ? byte >> 4 : byte & 15)
        }
        while y < header.height {
            guard let count = reader.byte(), let value = reader.byte() else {
                // Only the marks behind the last pixel are missing.
                if y == header.height - 1, x >= header.width { return indices }
                throw truncated
            }
            if count > 0 {
                for place in 0..<count { put(pixel(value, place)) }
                continue
            }
            switch value {
            case 0: (x, y) = (0, y + 1)
            case 1: return indices
            case 2:
                guard let right = reader.byte(), let down = reader.byte() else { continue }
                (x, y) = (x + right, y + down)
            default:
                var byte = 0
                for place in 0..<value {
                    if !isNarrow || place % 2 == 0 {
                        guard let next = reader.byte() else { break }
                        byte = next
                    }
                    put(pixel(byte, place))
                }
                let bytes = isNarrow ? (value + 1) / 2 : value
                if bytes % 2 == 1 { _ = reader.skip(1) }
            }
        }
        return indices
    }

    /// Decodes a row, counted from the top, into `width × bands` bytes.
    func readRow(_ row: Int, to: UnsafeMutablePointer<UInt8>) {
        let stored = header.isTopDown ? row : header.height - 1 - row
        let start = offset + stored * stride
        bytes.withUnsafeBufferPointer { bytes in
            switch bitsPerPixel {
            case 1, 4, 8: readIndexed(bytes, start, to)
            case 24:
                for x in 0..<header.width {
                    for band in 0..<3 { to[3 * x + band] = bytes[start + 3 * x + 2 - band] }
                }
            default: readPacked(bytes, start, to)
            }
        }
    }

    private func readIndexed(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ to: UnsafeMutablePointer<UInt8>
    ) {
        let perByte = 8 / bitsPerPixel
        let mask = UInt8((1 << bitsPerPixel) - 1)
        for x in 0..<header.width {
            let shift = 8 - bitsPerPixel - x % perByte * bitsPerPixel
            let index = Int(bytes[start + x / perByte] >> UInt8(shift) & mask)
            for band in 0..<3 {
                let at = 3 * index + band
                // Runs of four bits may name an index beyond the palette.
                to[3 * x + band] = at < header.palette.count ? header.palette[at] : 0
            }
        }
    }

    private func readPacked(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ to: UnsafeMutablePointer<UInt8>
    ) {
        let size = bitsPerPixel / 8
        for x in 0..<header.width {
            var pixel: UInt32 = 0
            for byte in 0..<size { pixel |= UInt32(bytes[start + x * size + byte]) << (8 * byte) }
            for band in 0..<bands {
                let channel = header.channels[band]
                let most = UInt64(1) << channel.bits - 1
                let value = UInt64(pixel >> channel.shift) & most
                to[bands * x + band] = most == 0 ? 0 : UInt8((value * 255 + most / 2) / most)
            }
        }
    }
}
