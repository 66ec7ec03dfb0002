/// The chunks of a WebP file (RFC 9649, section 2).
enum WebPFile {
    /// Those of a picture that doesn't move.
    private static let picture: [StaticString] = ["ALPH", "VP8 ", "VP8L"]

    /// Returns the file without metadata: libvips 8.14 writes EXIF although it is told to write none.
    static func bare(_ file: [UInt8]) -> [UInt8] {
        var reader = ByteReader(file)
        guard reader.take("RIFF"), reader.skip(4), reader.take("WEBP") else { return file }
        var extended: [UInt8]?
        var chunks: [[UInt8]] = []
        while reader.remaining >= 8 {
            let start = reader.position
            var head = reader
            guard head.skip(4), let length = head.littleEndian(4), reader.skip(8) else {
                return file
            }
            let isPicture = picture.contains { ByteReader(file).starts(with: $0, at: start) }
            let isExtended = ByteReader(file).starts(with: "VP8X", at: start)
            let padded = length + length % 2
            guard reader.skip(padded) else { return file }
            let chunk = Array(file[start..<start + 8 + padded])
            if isPicture { chunks.append(chunk) }
            if isExtended { extended = chunk }
        }
        // Besides a single chunk there is nothing to tell.
        if var extended, chunks.count > 1 {
            // Of the flags only that of an alpha.
            extended[8] &= 0x10
            chunks.insert(extended, at: 0)
        }
        let size = chunks.reduce(4) { $0 + $1.count }
        let length = (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) }
        return Array("RIFF".utf8) + length + Array("WEBP".utf8) + chunks.joined()
    }
}
