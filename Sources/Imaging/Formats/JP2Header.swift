/// Reads the size of a JPEG 2000 from its codestream (ISO/IEC 15444-1, annex A.5.1), since a
/// container's header may differ.
enum JP2Header {
    /// A decoder keeps state for each tile; real files have one, or some hundred.
    private static let maxTiles = 4_096

    static func read(_ original: [UInt8]) throws(ImagingError) -> Header {
        guard var reader = codestream(ByteReader(original)), reader.skip(8),
            let width = side(&reader), let height = side(&reader),
            let left = side(&reader), let top = side(&reader),
            let tileWidth = side(&reader), let tileHeight = side(&reader), reader.skip(8),
            let components = reader.bigEndian(2), tileWidth > 0, tileHeight > 0
        else { throw .broken(reason: "the JPEG 2000 ends or goes wrong within its header") }
        guard 1...4 ~= components else {
            throw .unsupported(format: "JPEG 2000 with \(components) components")
        }
        var bits = 8
        for _ in 0..<components {
            guard let depth = reader.byte(), reader.skip(2) else {
                throw .broken(reason: "the JPEG 2000 ends within its header")
            }
            guard depth & 0x7F < 16 else {
                throw .unsupported(format: "JPEG 2000 with more than 16 bits")
            }
            bits = max(bits, depth & 0x7F + 1)
        }
        let tiles = Int.clampedProduct(width / tileWidth + 1, height / tileHeight + 1)
        guard tiles <= maxTiles else {
            throw .unsupported(format: "JPEG 2000 of more than \(maxTiles) tiles")
        }
        var header = Header(format: .jp2, width: width - left, height: height - top)
        header.samples = Double(components)
        header.rowsAtOnce = min(height, tileHeight)
        header.depth = bits
        header.hasAlpha = components == 2 || components == 4
        return header
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
