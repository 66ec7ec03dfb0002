extension HeaderReader {
    /// Limit of blocks of up to 255 bytes that are skipped to count frames; 64 MB of full blocks
    /// are a quarter of it. Takes a millisecond or two.
    private static let maxBlocks = 1_000_000

    /// Reads the size and kind of a GIF's first frame (GIF89a specification).
    static func gif(_ original: [UInt8]) throws(ImagingError) -> Header {
        var reader = ByteReader(original)
        guard
            reader.skip(6), let width = reader.littleEndian(2), let height = reader.littleEndian(2),
            let flags = reader.byte(), reader.skip(2)
        else { throw .broken(reason: "the GIF ends within its header") }
        guard reader.skip(colorTableSize(flags)) else {
            throw .broken(reason: "the GIF ends within its color table")
        }
        var hasAlpha = false
        var found: Header?
        var blocks = maxBlocks
        // Each frame may have extensions of its own.
        scan: for _ in 0..<4 * Header.maxParts {
            switch reader.byte() {
            case 0x21:
                if let control = graphicControl(reader) { hasAlpha = control }
                guard reader.skip(1), skipBlocks(&reader, &blocks) else { break scan }
            case 0x2C:
                if found == nil { found = try frame(reader, width, height, hasAlpha) }
                found?.frames += 1
                guard skipFrame(&reader, &blocks) else { break scan }
            case 0x3B, nil: break scan
            default: continue
            }
        }
        guard blocks > 0 else {
            throw .overLimit(reason: "a GIF in more than \(maxBlocks) blocks")
        }
        guard let found else { throw .broken(reason: "the GIF ends before its first frame") }
        return found
    }

    /// Skips a frame's pixels.
    private static func skipFrame(_ reader: inout ByteReader, _ blocks: inout Int) -> Bool {
        guard reader.skip(8), let flags = reader.byte() else { return false }
        return reader.skip(colorTableSize(flags)) && reader.skip(1)
            && skipBlocks(&reader, &blocks)
    }

    /// A frame may reach beyond the screen. libnsgif then enlarges the picture, so that the limits
    /// must hold for both.
    private static func frame(
        _ reader: ByteReader, _ width: Int, _ height: Int, _ hasAlpha: Bool
    ) throws(ImagingError) -> Header {
        var reader = reader
        guard
            let left = reader.littleEndian(2), let top = reader.littleEndian(2),
            let frameWidth = reader.littleEndian(2), let frameHeight = reader.littleEndian(2),
            let flags = reader.byte()
        else { throw .broken(reason: "the GIF ends within its first frame") }
        var header = Header(
            format: .gif, width: max(width, left + frameWidth),
            height: max(height, top + frameHeight), hasAlpha: hasAlpha,
            isProgressive: flags & 0x40 != 0)
        header.frames = 0
        let isWhole = left == 0 && top == 0 && frameWidth >= width && frameHeight >= height
        if !isWhole, !hasAlpha {
            // Browsers show what is behind the picture there.
            header.frame = .init(left: left, top: top, width: frameWidth, height: frameHeight)
            header.hasAlpha = true
        }
        return header
    }

    private static func colorTableSize(_ flags: Int) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << ((flags & 7) + 1)
    }

    /// Returns whether a graphic control extension names a transparent color; nil if none comes next.
    private static func graphicControl(_ reader: ByteReader) -> Bool? {
        var reader = reader
        guard reader.byte() == 0xF9, reader.byte() == 4, let flags = reader.byte() else {
            return nil
        }
        return flags & 1 != 0
    }

    /// - Parameter blocks: how many may still be skipped.
    private static func skipBlocks(_ reader: inout ByteReader, _ blocks: inout Int) -> Bool {
        while blocks > 0, let size = reader.byte() {
            blocks -= 1
            if size == 0 { return true }
            if !reader.skip(size) { return false }
        }
        return false
    }
}
