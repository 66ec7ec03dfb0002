/// The chunks of a WebP (RFC 9649, section 2).
enum WebPContainer {
    /// Returns the file without EXIF, XMP and profile. libvips 8.14 writes 186 bytes of empty EXIF
    /// even when told to strip metadata: a tenth of a small thumbnail.
    static func withoutMetadata(_ webp: [UInt8]) -> [UInt8] {
        var reader = ByteReader(webp)
        guard reader.skip(12) else { return webp }
        var chunks: [(name: ArraySlice<UInt8>, all: ArraySlice<UInt8>)] = []
        while reader.remaining >= 8 {
            let start = reader.position
            guard reader.skip(4), let length = reader.littleEndian(4),
                reader.skip(length + (length & 1))
            else { return webp }
            chunks.append((webp[start..<start + 4], webp[start..<reader.position]))
        }
        let pixels = chunks.filter { chunk in
            ["ALPH", "VP8 ", "VP8L"].contains { chunk.name.elementsEqual($0.utf8) }
        }
        var body = Array("WEBP".utf8)
        // Only lossy pixels with alpha need the extended header.
        if pixels.count > 1, let extended = chunks.first?.all {
            var header = Array(extended)
            if header.count > 8 { header[8] &= 0x10 }
            body += header
        }
        for chunk in pixels { body += chunk.all }
        return Array("RIFF".utf8) + (0..<4).map { UInt8(body.count >> (8 * $0) & 0xFF) } + body
    }
}
