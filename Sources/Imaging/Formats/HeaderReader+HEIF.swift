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
            let size = size(coded)
        else { throw .broken(reason: "the \(format.name) doesn't say how large its picture is") }
        var header = Header(format: format, width: size.width, height: size.height)
        header.hasAlpha = items.hasAlpha
        header.depth = depth(items, primary) ?? 8
        if items.storesHalfColors { header.samples = 1.5 }
        header.frames = max(1, items.pictures)
        // The decoder makes the size of the grid, whatever size is written beside it.
        if let grid = grid(items, primary) {
            header.width = max(header.width, grid.width)
            header.height = max(header.height, grid.height)
        }
        // libheif turns and crops by itself.
        for property in items.properties(of: primary) { apply(property, to: &header) }
        return header
    }

    private static func size(_ box: Box) -> (width: Int, height: Int)? {
        guard var reader = box.full?.content, let width = reader.bigEndian(4),
            let height = reader.bigEndian(4)
        else { return nil }
        return (width, height)
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

    /// Returns the size of the canvas for tiles (ISO/IEC 23008-12, section 6.6.2.3).
    private static func grid(_ items: HEIFItems, _ item: Int) -> (width: Int, height: Int)? {
        guard items.kind(of: item) == "grid", var reader = items.data(of: item),
            reader.skip(1), let flags = reader.byte(), reader.skip(2)
        else { return nil }
        let bytes = flags & 1 == 0 ? 2 : 4
        guard let width = reader.bigEndian(bytes), let height = reader.bigEndian(bytes) else {
            return nil
        }
        return (width, height)
    }

    private static func apply(_ property: Box, to header: inout Header) {
        var reader = property.content
        switch property.name {
        case "irot":
            guard let turns = reader.byte(), turns & 1 == 1 else { return }
            (header.width, header.height) = (header.height, header.width)
        case "clap":
            let numbers = (0..<4).compactMap { _ in reader.bigEndian(4) }
            guard numbers.count == 4, numbers[1] > 0, numbers[3] > 0 else { return }
            header.width = cut(header.width, numbers[0], numbers[1])
            header.height = cut(header.height, numbers[2], numbers[3])
        default: return
        }
    }

    private static func cut(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
        let wanted = (numerator + denominator / 2) / denominator
        return wanted > 0 ? min(side, wanted) : side
    }
}
