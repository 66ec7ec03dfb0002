/// Expands the run lengths of BI_RLE8 and BI_RLE4.
enum BMPRuns {
    /// Returns a palette index per pixel, rows in the order of the file. Skipped pixels are 0.
    static func expanded(_ original: [UInt8], _ header: BMPHeader) throws(ImagingError) -> [UInt8] {
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
                throw .broken(reason: "the BMP ends within its pixels")
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
}
