extension HeaderReader {
    /// Reads the size, kind and orientation of a PNG (W3C PNG, third edition).
    static func png(_ original: [UInt8]) throws(ImagingError) -> Header {
        var reader = ByteReader(original)
        guard
            reader.skip(8), reader.bigEndian(4) == 13, reader.take("IHDR"),
            let width = reader.bigEndian(4), let height = reader.bigEndian(4),
            let depth = reader.byte(), let colorType = reader.byte(), reader.skip(2),
            let interlace = reader.byte(),
            reader.skip(4)
        else { throw .broken(reason: "the PNG ends or goes wrong within its header") }
        var header = Header(
            format: .png, width: width, height: height, hasAlpha: colorType & 4 != 0,
            isProgressive: interlace != 0)
        // A palette is decoded to red, green and blue.
        header.samples = [0: 1, 4: 2, 6: 4][colorType] ?? 3
        header.depth = max(8, depth)
        var hasEXIF = false
        // Every chunk before the pixels must be complete: libpng would reserve memory for a mere
        // claim.
        for _ in 0..<Header.maxParts {
            guard let length = reader.bigEndian(4), let name = reader.bigEndian(4) else { break }
            if name == Chunk.pixels || name == Chunk.end { return header }
            if name == Chunk.transparency, !header.hasAlpha {
                header.hasAlpha = true
                header.samples += 1
            }
            if name == Chunk.exif, !hasEXIF {
                hasEXIF = true
                header.orientation = Orientation.read(exif: reader.part(length)) ?? .upright
            }
            if Chunk.texts.contains(name) { header.copied = original.count }
            guard reader.skip(length), reader.skip(4) else {
                throw .broken(
                    reason: "the PNG claims a chunk of \(length) bytes and ends before that")
            }
        }
        throw .broken(
            reason: reader.remaining > 0
                ? "the PNG has more than \(Header.maxParts) chunks before its pixels"
                : "the PNG ends before its pixels")
    }

    /// Removes the text chunks of a PNG, which no thumbnail shows. libvips reads them before the first
    /// pixel, and a kilobyte of zTXt is a megabyte of text.
    ///
    /// - Returns: nil if it has no such text before its pixels, or is damaged.
    static func withoutText(_ original: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(original)
        guard reader.skip(8) else { return nil }
        var kept: [Range<Int>] = [0..<8]
        var start = 8
        for _ in 0..<Header.maxParts {
            guard let length = reader.bigEndian(4), let name = reader.bigEndian(4),
                name != Chunk.pixels
            else { break }
            guard reader.skip(length), reader.skip(4) else { return nil }
            let end = original.count - reader.remaining
            if !Chunk.texts.contains(name) { kept.append(start..<end) }
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

    private enum Chunk {
        static let pixels = 0x4944_4154  // IDAT
        static let end = 0x4945_4E44  // IEND
        static let transparency = 0x7452_4E53  // tRNS
        static let exif = 0x6558_4966  // eXIf
        /// tEXt, zTXt, iTXt.
        static let texts: Set<Int> = [0x7445_5874, 0x7A54_5874, 0x6954_5874]
    }
}
