extension HeaderReader {
    /// Reads the size, kind and orientation of a WebP (RFC 9649).
    static func webP(_ original: [UInt8]) throws(ImagingError) -> Header {
        var reader = ByteReader(original)
        guard reader.skip(12) else { throw truncated }
        var chunk = reader.part(8)
        guard chunk.skip(4), let length = chunk.littleEndian(4), reader.remaining > 8 else {
            throw truncated
        }
        let content = reader
        guard reader.skip(8) else { throw truncated }
        if content.starts(with: "VP8 ") { return try lossy(reader) }
        if content.starts(with: "VP8L") { return try lossless(reader) }
        if content.starts(with: "VP8X") { return try extended(reader, length) }
        throw .broken(reason: "the WebP doesn't begin with a picture")
    }

    private static let truncated = ImagingError.broken(reason: "the WebP ends within its header")

    /// Reads a key frame of VP8 (RFC 6386, section 9.1); the upper two bits of each side are scaling.
    private static func lossy(_ reader: ByteReader) throws(ImagingError) -> Header {
        var reader = reader
        guard
            reader.skip(6), let width = reader.littleEndian(2), let height = reader.littleEndian(2)
        else { throw truncated }
        return Header(format: .webp, width: width & 0x3FFF, height: height & 0x3FFF)
    }

    private static func lossless(_ reader: ByteReader) throws(ImagingError) -> Header {
        var reader = reader
        guard reader.skip(1), let bits = reader.littleEndian(4) else { throw truncated }
        return Header(
            format: .webp, width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1,
            hasAlpha: bits >> 28 & 1 != 0)
    }

    private static func extended(
        _ reader: ByteReader, _ length: Int
    ) throws(ImagingError) -> Header {
        var reader = reader
        var fields = reader.part(10)
        guard
            let flags = fields.littleEndian(4), let width = fields.littleEndian(3),
            let height = fields.littleEndian(3)
        else { throw truncated }
        var header = Header(
            format: .webp, width: width + 1, height: height + 1, hasAlpha: flags & 0x10 != 0)
        guard reader.skip(padded(length)) else { return header }
        var animated = 0
        var hasEXIF = false
        for _ in 0..<2 * Header.maxParts where reader.remaining > 8 {
            if reader.starts(with: "ANMF") { animated += 1 }
            if !hasEXIF, reader.starts(with: "EXIF"), flags & 0x08 != 0 {
                hasEXIF = true
                header.orientation = exif(reader) ?? .upright
            }
            guard reader.skip(4), let length = reader.littleEndian(4),
                reader.skip(padded(length))
            else { break }
        }
        header.frames = max(1, animated)
        return header
    }

    /// Returns the profile of a WebP whose header was read; nil without one.
    static func webPProfile(_ original: [UInt8]) -> [UInt8]? {
        var reader = ByteReader(original)
        guard reader.skip(12), reader.starts(with: "VP8X") else { return nil }
        for _ in 0..<Header.maxParts where reader.remaining > 8 {
            let isProfile = reader.starts(with: "ICCP")
            guard reader.skip(4), let length = reader.littleEndian(4) else { return nil }
            if isProfile { return reader.bytes(length) }
            guard reader.skip(padded(length)) else { return nil }
        }
        return nil
    }

    /// Reads a chunk with EXIF; some writers put JPEG's `Exif` in front of it.
    private static func exif(_ reader: ByteReader) -> Orientation? {
        var reader = reader
        guard reader.skip(4), let length = reader.littleEndian(4) else { return nil }
        var block = reader.part(length)
        if block.take("Exif\0") { _ = block.skip(1) }
        return Orientation.read(exif: block)
    }

    private static func padded(_ length: Int) -> Int { length + (length & 1) }
}
