/// Size, kind and orientation of a PNG (W3C PNG, third edition).
enum PNGHeader {
    static func read(_ original: [UInt8]) throws(ImagingError) -> Header {
        var reader = ByteReader(original)
        guard
            reader.skip(8), reader.bigEndian(4) == 13, reader.take("IHDR"),
            let width = reader.bigEndian(4), let height = reader.bigEndian(4), reader.skip(1),
            let colourType = reader.byte(), reader.skip(2), let interlace = reader.byte(),
            reader.skip(4)
        else { throw .broken(reason: "the PNG ends or goes wrong within its header") }
        var header = Header(
            format: .png, width: width, height: height, hasAlpha: colourType & 4 != 0,
            isProgressive: interlace != 0)
        // Every chunk before the pixels has to be there: libpng would reserve what it only claims.
        while let length = reader.bigEndian(4), let name = reader.bigEndian(4) {
            if name == Chunk.pixels || name == Chunk.end { return header }
            if name == Chunk.transparency { header.hasAlpha = true }
            if name == Chunk.exif {
                header.orientation = EXIF.orientation(reader.part(length)) ?? .upright
            }
            guard reader.skip(length), reader.skip(4) else {
                throw .broken(
                    reason: "the PNG claims a chunk of \(length) bytes and ends before that")
            }
        }
        throw .broken(reason: "the PNG ends before its pixels")
    }

    private enum Chunk {
        static let pixels = 0x4944_4154  // IDAT
        static let end = 0x4945_4E44  // IEND
        static let transparency = 0x7452_4E53  // tRNS
        static let exif = 0x6558_4966  // eXIf
    }
}
