/// Size of a JPEG XL (ISO/IEC 18181-1, section 9.2, and 18181-2 for the container).
enum JXLHeader {
    static func read(_ original: [UInt8]) throws(ImagingError) -> Header {
        guard let start = codestream(ByteReader(original)), let size = size(start) else {
            throw .broken(reason: "the JPEG XL ends or goes wrong within its header")
        }
        return Header(format: .jxl, width: size.width, height: size.height)
    }

    /// Behind the signature of the codestream, which may lie in a box.
    private static func codestream(_ reader: ByteReader) -> ByteReader? {
        var reader = reader
        if reader.bigEndian(2) == 0xFF0A { return reader }
        guard reader.skip(10) else { return nil }
        for box in Box.all(in: reader) {
            var content = box.content
            if box.name == "jxlp", !content.skip(4) { return nil }
            if box.name == "jxlc" || box.name == "jxlp" {
                return content.bigEndian(2) == 0xFF0A ? content : nil
            }
        }
        return nil
    }

    private static func size(_ start: ByteReader) -> PixelSize? {
        var reader = start
        // Bits are counted from the lowest; 10 bytes hold the longest size.
        var bytes: [UInt8] = []
        while bytes.count < 10, let byte = reader.byte() { bytes.append(UInt8(byte)) }
        var position = 0
        func bits(_ count: Int) -> Int? {
            guard position + count <= bytes.count * 8 else { return nil }
            defer { position += count }
            return (position..<position + count).reversed().reduce(0) {
                $0 << 1 | Int(bytes[$1 / 8] >> UInt8($1 % 8) & 1)
            }
        }
        func side(_ isSmall: Bool) -> Int? {
            if isSmall { return bits(5).map { ($0 + 1) * 8 } }
            return bits(2).flatMap { bits([9, 13, 18, 30][$0]) }.map { $0 + 1 }
        }
        guard let small = bits(1), let height = side(small == 1), let ratio = bits(3) else {
            return nil
        }
        let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
        if ratio == 0 { return side(small == 1).map { PixelSize(width: $0, height: height) } }
        let (wide, high) = ratios[ratio - 1]
        return PixelSize(width: height * wide / high, height: height)
    }
}
