/// Reads the size, kind and orientation of a PNG (W3C PNG, third edition).
enum PNGHeader {
    static func read(_ original: [UInt8]) throws(ImagingError) -> Header {
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
                header.orientation = EXIF.orientation(reader.part(length)) ?? .upright
            }
            if PNGText.names.contains(name) { header.copied = original.count }
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

    private enum Chunk {
        static let pixels = 0x4944_4154  // IDAT
        static let end = 0x4945_4E44  // IEND
        static let transparency = 0x7452_4E53  // tRNS
        static let exif = 0x6558_4966  // eXIf
    }
}
