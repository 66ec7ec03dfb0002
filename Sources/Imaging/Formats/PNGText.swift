/// Removes the text chunks of a PNG (tEXt, zTXt, iTXt), which no thumbnail shows. libvips reads
/// them before the first pixel, and a kilobyte of zTXt is a megabyte of text.
enum PNGText {
    static let names: Set<Int> = [0x7445_5874, 0x7A54_5874, 0x6954_5874]
    private static let pixels = 0x4944_4154  // IDAT

    /// Returns the PNG without the text before its pixels; nil if it has no such text or is
    /// damaged.
    static func removed(from original: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(original)
        guard reader.skip(8) else { return nil }
        var kept: [Range<Int>] = [0..<8]
        var start = 8
        for _ in 0..<Header.maxParts {
            guard let length = reader.bigEndian(4), let name = reader.bigEndian(4),
                name != pixels
            else { break }
            guard reader.skip(length), reader.skip(4) else { return nil }
            let end = original.count - reader.remaining
            if !names.contains(name) { kept.append(start..<end) }
            start = end
        }
        kept.append(start..<original.count)
        let count = kept.reduce(0) { $0 + $1.count }
        guard count < original.count else { return nil }
        var rest: [UInt8] = []
        rest.reserveCapacity(count)
        for range in kept { rest += original[range] }
        return rest
    }
}
