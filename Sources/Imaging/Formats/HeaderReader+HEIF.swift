extension HeaderReader {
    /// Reads the size and kind of an AVIF or HEIC's primary picture (ISO/IEC 23008-12; MIAF, ISO/IEC
    /// 23000-22).
    static func heif(_ original: [UInt8], _ format: ImageFormat) throws(ImagingError) -> Header {
        let file = ByteReader(original)
        // libvips 8.14 can't read image sequences.
        if format == .avif, file.starts(with: "avis", at: 8) {
            throw .unsupported(format: "An AVIF animation")
        }
        guard let meta = Box.first("meta", in: file)?.full?.content else {
            throw .broken(reason: "the \(format.name) ends or goes wrong before its description")
        }
        let items = HEIFItems(meta, file: file)
        guard let primary = items.primary, let coded = items.property("ispe", of: primary),
            var size = HEIFProperty.size(coded)
        else { throw .broken(reason: "the \(format.name) doesn't say how large its picture is") }
        // The decoder makes the size of the canvas, whatever size is written beside it.
        if let canvas = try items.canvas(of: primary) {
            size.width = max(size.width, canvas.width)
            size.height = max(size.height, canvas.height)
        }
        for property in items.properties(of: primary) {
            size = try HEIFProperty.applied(property, to: size)
        }
        try items.checkParts(of: primary)
        var header = Header(format: format, width: size.width, height: size.height)
        header.hasAlpha = items.hasAlpha
        header.depth = depth(items, primary) ?? 8
        if items.storesHalfColors { header.samples = 1.5 }
        header.frames = max(1, items.pictures)
        return header
    }

    /// Returns the most bits of a sample, from the pixel information or the decoder's settings.
    private static func depth(_ items: HEIFItems, _ item: Int) -> Int? {
        if var reader = items.property("pixi", of: item)?.full?.content,
            let channels = reader.byte()
        {
            return (0..<channels).compactMap { _ in reader.byte() }.max()
        }
        if var reader = items.property("av1C", of: item)?.content, reader.skip(2),
            let flags = reader.byte()
        {
            return flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
        }
        if var reader = items.property("hvcC", of: item)?.content, reader.skip(17),
            let luma = reader.byte()
        {
            return (luma & 7) + 8
        }
        return nil
    }
}
