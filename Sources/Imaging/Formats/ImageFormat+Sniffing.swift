extension ImageFormat {
    /// Returns the format by the magic bytes at the very beginning; nil for any other content.
    package static func sniff(_ bytes: [UInt8]) -> ImageFormat? {
        let reader = ByteReader(bytes)
        for (format, magic) in signatures where bytes.starts(with: magic) { return format }
        if reader.starts(with: "GIF87a") || reader.starts(with: "GIF89a") { return .gif }
        if reader.starts(with: "RIFF"), reader.starts(with: "WEBP", at: 8) { return .webp }
        if reader.starts(with: "ftyp", at: 4) { return sniffBrands(reader) }
        if isBitmap(reader) { return .bmp }
        return ContentGuess.isSVG(bytes) == true ? .svg : nil
    }

    /// Returns the format of an original, compressed SVG included. Reads the first kilobytes only.
    ///
    /// - Throws: ``ImagingError/unsupported(format:)`` or ``ImagingError/notAnImage(looksLike:)``.
    static func detected(in original: [UInt8]) throws(ImagingError) -> ImageFormat {
        if let format = sniff(original) { return format }
        if SVGDocument.isCompressed(original) == true { return .svg }
        if let other = ContentGuess.otherPicture(original) { throw .unsupported(format: other) }
        throw .notAnImage(looksLike: ContentGuess.name(original))
    }

    /// Bytes of a file that tell its format, but for an SVG behind a long comment.
    package static let headBytes = 8 << 10
    /// Bytes of a file that tell every format.
    package static let longHeadBytes = ContentGuess.maxPrologue

    /// Returns the format of a file that begins like this, compressed SVG included; nil for any other
    /// content, and if ``needsMore(head:)`` says so.
    package static func ofFile(head: [UInt8]) -> ImageFormat? {
        sniff(head) ?? (SVGDocument.isCompressed(head) == true ? .svg : nil)
    }

    /// Returns whether a file that begins like this is a picture, in a supported format or not.
    package static func isPicture(head: [UInt8]) -> Bool {
        ofFile(head: head) != nil || ContentGuess.otherPicture(head) != nil
    }

    /// Returns whether a file begins with comments that continue, so that ``longHeadBytes`` of it have to be read.
    package static func needsMore(head: [UInt8]) -> Bool {
        head.count < longHeadBytes && ofFile(head: head) == nil
            && (ContentGuess.isSVG(head) == nil || SVGDocument.isCompressed(head) == nil)
    }

    private static let signatures: [(ImageFormat, [UInt8])] = [
        (.jpeg, [0xFF, 0xD8, 0xFF]),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        // Little and big endian, then the same for BigTIFF.
        (.tiff, [0x49, 0x49, 0x2A, 0x00]), (.tiff, [0x4D, 0x4D, 0x00, 0x2A]),
        (.tiff, [0x49, 0x49, 0x2B, 0x00]), (.tiff, [0x4D, 0x4D, 0x00, 0x2B]),
        // A bare codestream, then the container.
        (.jxl, [0xFF, 0x0A]),
        (.jxl, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        (.jp2, [0xFF, 0x4F, 0xFF, 0x51]),
        (.exr, [0x76, 0x2F, 0x31, 0x01]),
        (.hdr, Array("#?RADIANCE\n".utf8)), (.hdr, Array("#?RGBE\n".utf8)),
        (.jp2, [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
    ]

    /// ISO base media (ISO/IEC 23008-12): the major brand, then the ones it is compatible with.
    private static func sniffBrands(_ reader: ByteReader) -> ImageFormat? {
        var reader = reader
        guard let length = reader.bigEndian(4), reader.skip(4) else { return nil }
        var brands = reader.part(min(length, 512) - 8)
        var found: ImageFormat?
        while brands.remaining >= 4 {
            if brands.starts(with: "avif") || brands.starts(with: "avis") { return .avif }
            for brand in heicBrands where brands.starts(with: brand) { found = .heic }
            guard brands.skip(4) else { break }
        }
        return found
    }

    private static let heicBrands: [StaticString] = [
        "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "mif2", "msf1",
    ]

    /// Many a text begins with `BM`, so the size of the header that follows must fit as well.
    private static func isBitmap(_ reader: ByteReader) -> Bool {
        var reader = reader
        guard reader.take("BM"), reader.skip(12), let size = reader.littleEndian(4) else {
            return false
        }
        return 12...124 ~= size
    }
}
