extension HeaderReader {
    /// Real files have a dozen or two.
    private static let maxAttributes = 1_000
    private static let maxName = 255

    /// Reads the size and channels of an OpenEXR picture's first part ("OpenEXR File Layout").
    static func exr(_ original: [UInt8]) throws(ImagingError) -> Header {
        guard let header = try parse(original) else {
            throw .broken(reason: "the OpenEXR picture ends or goes wrong within its header")
        }
        return header
    }

    private static func parse(_ original: [UInt8]) throws(ImagingError) -> Header? {
        var reader = ByteReader(original)
        guard reader.skip(4), let version = reader.littleEndian(4) else { return nil }
        // Bit 11 is deep data: any number of samples per pixel.
        if version & 0x800 != 0 { throw .unsupported(format: "OpenEXR with deep data") }
        var header = Header(format: .exr, width: 0, height: 0)
        var colors: Bool?
        for _ in 0..<maxAttributes {
            guard let name = text(&reader) else { return nil }
            if name.isEmpty {
                guard header.width > 0 else { return nil }
                guard colors == true else { throw .unsupported(format: "OpenEXR without colors") }
                return header
            }
            guard text(&reader) != nil, let size = reader.littleEndian(4) else { return nil }
            var value = reader.part(size)
            guard value.remaining == size, reader.skip(size) else { return nil }
            switch name {
            case "dataWindow":
                guard header.width == 0, let size = windowSize(&value) else { return nil }
                (header.width, header.height) = size
            case "channels":
                // Only once: a thousand lists would take long.
                guard colors == nil, let names = channels(&value) else { return nil }
                colors = !names.isDisjoint(with: ["R", "G", "B", "Y"])
                header.hasAlpha = names.contains("A")
            default: continue
            }
        }
        return nil
    }

    /// Returns the size by the first and last pixel.
    private static func windowSize(_ window: inout ByteReader) -> (width: Int, height: Int)? {
        var corners: [Int] = []
        for _ in 0..<4 {
            guard let value = window.littleEndian(4) else { return nil }
            corners.append(Int(Int32(truncatingIfNeeded: value)))
        }
        let (width, height) = (corners[2] - corners[0] + 1, corners[3] - corners[1] + 1)
        return width > 0 && height > 0 ? (width, height) : nil
    }

    private static func channels(_ value: inout ByteReader) -> Set<String>? {
        var names = Set<String>()
        while let name = text(&value) {
            if name.isEmpty { return names }
            guard names.count < maxAttributes, value.skip(16) else { return nil }
            names.insert(name)
        }
        return nil
    }

    /// Reads text up to a zero byte.
    private static func text(_ reader: inout ByteReader) -> String? {
        var bytes: [UInt8] = []
        while let byte = reader.byte() {
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            guard bytes.count < maxName else { return nil }
            bytes.append(UInt8(byte))
        }
        return nil
    }
}
