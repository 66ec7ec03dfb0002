extension HeaderReader {
    /// A decoder keeps state for each tile; real files have one, or some hundred.
    private static let maxTiles = 4_096

    /// Reads the size of a JPEG 2000 from its codestream (ISO/IEC 15444-1, annex A.5.1), since a
    /// container's header may differ.
    static func jp2(_ original: [UInt8]) throws(ImagingError) -> Header {
        let file = ByteReader(original)
        try checkContainer(file)
        guard var reader = codestream(file), reader.skip(6), let capabilities = reader.bigEndian(2),
            let width = side(&reader), let height = side(&reader),
            let left = side(&reader), let top = side(&reader),
            let tileWidth = side(&reader), let tileHeight = side(&reader),
            let tileLeft = side(&reader), let tileTop = side(&reader),
            let components = reader.bigEndian(2), tileWidth > 0, tileHeight > 0
        else { throw .broken(reason: "the JPEG 2000 ends or goes wrong within its header") }
        guard 1...4 ~= components else {
            throw .unsupported(format: "JPEG 2000 with \(components) components")
        }
        if capabilities & highThroughput != 0 {
            throw .unsupported(format: "HTJ2K (JPEG 2000 part 15)")
        }
        // libvips' reader of tiles writes beyond its buffers, and shows other memory.
        if [left, top, tileLeft, tileTop].contains(where: { $0 != 0 }) {
            throw .unsupported(format: "JPEG 2000 with an offset")
        }
        var bits = 8
        for _ in 0..<components {
            guard let depth = reader.byte(), let stepX = reader.byte(), let stepY = reader.byte()
            else { throw .broken(reason: "the JPEG 2000 ends within its header") }
            guard stepX == 1, stepY == 1 else {
                throw .unsupported(format: "JPEG 2000 with subsampled colors")
            }
            guard depth & 0x80 == 0 else {
                throw .unsupported(format: "JPEG 2000 with signed samples")
            }
            guard depth < 16 else {
                throw .unsupported(format: "JPEG 2000 with more than 16 bits")
            }
            bits = max(bits, depth + 1)
        }
        let tiles = Int.clampedProduct(width / tileWidth + 1, height / tileHeight + 1)
        guard tiles <= maxTiles else {
            throw .unsupported(format: "JPEG 2000 of more than \(maxTiles) tiles")
        }
        var header = Header(format: .jp2, width: width, height: height)
        header.samples = Double(components)
        header.rowsAtOnce = min(height, tileHeight)
        header.depth = bits
        header.hasAlpha = components == 2 || components == 4
        return header
    }

    /// The bit of Rsiz for part 15.
    private static let highThroughput = 1 << 14
    /// Enumerated color spaces: sRGB and gray.
    private static let colorSpaces = [16, 17]

    /// Refuses containers whose colors would be false, or harm the decoder.
    private static func checkContainer(_ file: ByteReader) throws(ImagingError) {
        let headers = Box.all(in: file).filter { $0.name == "jp2h" || $0.name == "jpch" }
        for box in headers.flatMap({ Box.all(in: $0.content) }) {
            // libvips writes as many bands as the palette has into an image that has one.
            if box.name == "pclr" { throw .unsupported(format: "JPEG 2000 with a palette") }
            guard box.name == "colr" else { continue }
            var content = box.content
            guard content.byte() == 1, content.skip(2), let space = content.bigEndian(4) else {
                continue
            }
            if space == 18 { throw .unsupported(format: "JPEG 2000 in YCbCr") }
            if space == 12 { throw .unsupported(format: "JPEG 2000 in CMYK") }
            guard colorSpaces.contains(space) else {
                throw .unsupported(format: "JPEG 2000 in another color space than RGB or gray")
            }
        }
    }

    private static func side(_ reader: inout ByteReader) -> Int? { reader.bigEndian(4) }

    /// Returns a reader at the codestream's first marker, which may lie in a box.
    private static func codestream(_ reader: ByteReader) -> ByteReader? {
        if reader.part(4).isSignature { return reader }
        guard let box = Box.first("jp2c", in: reader) else { return nil }
        return box.content.part(4).isSignature ? box.content : nil
    }
}

extension ByteReader {
    /// Whether SOC and SIZ come next.
    fileprivate var isSignature: Bool {
        var reader = self
        return reader.bigEndian(4) == 0xFF4F_FF51
    }
}
