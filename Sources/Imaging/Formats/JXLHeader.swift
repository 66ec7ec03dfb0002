/// Reads the size of a JPEG XL (ISO/IEC 18181-1, section 9.2, and 18181-2 for the container).
enum JXLHeader {
    static func read(_ original: [UInt8]) throws(ImagingError) -> Header {
        guard let start = codestream(ByteReader(original)) else { throw broken }
        var bits = BitReader(start)
        guard let size = size(&bits) else { throw broken }
        var header = Header(format: .jxl, width: size.width, height: size.height)
        // If they can't be read, the most expensive kind is assumed.
        let samples = samples(&bits) ?? (depth: 32, extra: 1)
        header.depth = samples.depth
        header.hasAlpha = samples.extra > 0
        return header
    }

    private static var broken: ImagingError {
        .broken(reason: "the JPEG XL ends or goes wrong within its header")
    }

    /// Reads bits, the lowest of each byte first.
    private struct BitReader {
        private let bytes: [UInt8]
        private var position = 0

        /// Takes the next 64 bytes, more than the fields need.
        init(_ start: ByteReader) {
            var reader = start
            var bytes: [UInt8] = []
            while bytes.count < 64, let byte = reader.byte() { bytes.append(UInt8(byte)) }
            self.bytes = bytes
        }

        mutating func bits(_ count: Int) -> Int? {
            guard position + count <= bytes.count * 8 else { return nil }
            defer { position += count }
            return (position..<position + count).reversed().reduce(0) {
                $0 << 1 | Int(bytes[$1 / 8] >> UInt8($1 % 8) & 1)
            }
        }

        /// Reads a number in one of four ways: so many bits, added to a constant.
        mutating func number(_ ways: [(constant: Int, bits: Int)]) -> Int? {
            guard let way = bits(2), let value = bits(ways[way].bits) else { return nil }
            return ways[way].constant + value
        }
    }

    /// Returns the bits of a sample and the extra channels, from the metadata behind the size
    /// (section D.3); nil if a preview or an animation comes before them.
    private static func samples(_ reader: inout BitReader) -> (depth: Int, extra: Int)? {
        guard let isDefault = reader.bits(1) else { return nil }
        if isDefault == 1 { return (8, 0) }
        guard let hasFields = reader.bits(1) else { return nil }
        if hasFields == 1 {
            guard reader.bits(3) != nil, let hasOwnSize = reader.bits(1) else { return nil }
            if hasOwnSize == 1, size(&reader) == nil { return nil }
            guard reader.bits(1) == 0, reader.bits(1) == 0 else { return nil }
        }
        guard let isFloat = reader.bits(1),
            let depth = reader.number(
                isFloat == 1
                    ? [(32, 0), (16, 0), (24, 0), (1, 6)] : [(8, 0), (10, 0), (12, 0), (1, 6)])
        else { return nil }
        // Bits of a float's exponent, then whether 16 bits suffice for the decoder.
        if isFloat == 1, reader.bits(4) == nil { return nil }
        guard reader.bits(1) != nil, let extra = reader.number([(0, 0), (1, 0), (2, 4), (1, 12)])
        else { return nil }
        return (depth, extra)
    }

    /// Returns a reader behind the signature of the codestream, which may lie in a box.
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

    private static func size(_ reader: inout BitReader) -> PixelSize? {
        func side(_ isSmall: Bool) -> Int? {
            if isSmall { return reader.bits(5).map { ($0 + 1) * 8 } }
            return reader.number([(1, 9), (1, 13), (1, 18), (1, 30)])
        }
        guard let small = reader.bits(1), let height = side(small == 1),
            let ratio = reader.bits(3)
        else { return nil }
        let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
        if ratio == 0 { return side(small == 1).map { PixelSize(width: $0, height: height) } }
        let (wide, high) = ratios[ratio - 1]
        return PixelSize(width: height * wide / high, height: height)
    }
}
