/// Reads the size and layout of a Windows or OS/2 bitmap (Microsoft, "Bitmap Storage").
struct BMPHeader {
    enum Compression { case none, runs8, runs4 }

    /// The place and number of a channel's bits in a pixel.
    struct Channel {
        var shift: UInt32
        var bits: UInt32

        init?(mask: Int) {
            let mask = UInt32(truncatingIfNeeded: mask)
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            bits = UInt32(mask.nonzeroBitCount)
            // The bits of a channel must lie side by side.
            if mask != 0, (mask >> shift) & ((mask >> shift) &+ 1) != 0 { return nil }
        }
    }

    var width = 0
    var height = 0
    var isTopDown = false
    var bitsPerPixel = 0
    var compression = Compression.none
    /// Red, green, blue and alpha; empty for a palette or a byte per channel.
    var channels: [Channel] = []
    /// Red, green, blue, one after the other.
    var palette: [UInt8] = []
    /// The place of the pixels.
    var offset = 0

    var header: Header {
        Header(format: .bmp, width: width, height: height, hasAlpha: hasAlpha)
    }

    var hasAlpha: Bool { channels.count == 4 && channels[3].bits > 0 }

    static func read(_ original: [UInt8]) throws(ImagingError) -> BMPHeader {
        guard let header = try parse(original) else {
            throw .broken(reason: "the BMP ends or goes wrong within its header")
        }
        return header
    }

    private static func parse(_ original: [UInt8]) throws(ImagingError) -> BMPHeader? {
        var header = BMPHeader()
        var reader = ByteReader(original)
        guard reader.skip(10), let offset = reader.littleEndian(4),
            let size = reader.littleEndian(4)
        else { return nil }
        header.offset = offset
        let isCore = size == 12
        let side = isCore ? 2 : 4
        guard isCore || size >= 40, let width = reader.littleEndian(side),
            let height = reader.littleEndian(side), reader.littleEndian(2) == 1,
            let bits = reader.littleEndian(2)
        else { return nil }
        header.width = isCore ? width : Int(Int32(truncatingIfNeeded: width))
        let signed = isCore ? height : Int(Int32(truncatingIfNeeded: height))
        header.height = abs(signed)
        header.isTopDown = signed < 0
        header.bitsPerPixel = bits
        var code = 0
        var used = 0
        if !isCore {
            guard let kind = reader.littleEndian(4), reader.skip(12),
                let colors = reader.littleEndian(4), reader.skip(4)
            else { return nil }
            (code, used) = (kind, colors)
        }
        guard try header.apply(code, size, &reader) else { return nil }
        if bits <= 8 {
            // Masks lie before the palette in old headers, and within new ones.
            guard header.readPalette(original, at: 14 + size, used, entry: isCore ? 3 : 4) else {
                return nil
            }
        }
        return header
    }

    /// Sets the layout by the compression; `reader` is behind the first 40 bytes.
    private mutating func apply(
        _ code: Int, _ size: Int, _ reader: inout ByteReader
    ) throws(ImagingError) -> Bool {
        switch (code, bitsPerPixel) {
        case (0, 1), (0, 4), (0, 8), (0, 24): return true
        case (0, 16): channels = Self.channels([0x7C00, 0x03E0, 0x001F, 0])
        case (0, 32): channels = Self.channels([0xFF_0000, 0xFF00, 0xFF, 0])
        case (1, 8): compression = .runs8
        case (2, 4): compression = .runs4
        case (3, 16), (3, 32), (6, 16), (6, 32):
            let hasAlpha = code == 6 || size >= 56
            var masks: [Int] = []
            for _ in 0..<(hasAlpha ? 4 : 3) {
                guard let mask = reader.littleEndian(4) else { return false }
                masks.append(mask)
            }
            channels = Self.channels(hasAlpha ? masks : masks + [0])
            return channels.count == 4
        default: throw .unsupported(format: "BMP of kind \(code) with \(bitsPerPixel) bits")
        }
        return true
    }

    private static func channels(_ masks: [Int]) -> [Channel] { masks.compactMap(Channel.init) }

    /// Reads the entries before the pixels; missing ones are black.
    private mutating func readPalette(
        _ original: [UInt8], at start: Int, _ used: Int, entry: Int
    ) -> Bool {
        let most = 1 << bitsPerPixel
        let wanted = used > 0 ? min(used, most) : most
        let count = min(wanted, max(0, offset - start) / entry)
        palette = [UInt8](repeating: 0, count: most * 3)
        guard count > 0, start + count * entry <= original.count else { return false }
        for index in 0..<count {
            let at = start + index * entry
            for band in 0..<3 { palette[index * 3 + band] = original[at + 2 - band] }
        }
        return true
    }
}
