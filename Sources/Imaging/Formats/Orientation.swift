/// How stored pixels are turned for viewing; raw values are EXIF's (CIPA DC-008, tag 0x0112).
enum Orientation: Int, Sendable {
    case upright = 1
    case mirrored, turnedHalf, flipped, transposed, turnedRight, transversed, turnedLeft

    /// Values other than 1…8 count as upright.
    init(exif value: Int) {
        self = Orientation(rawValue: value) ?? .upright
    }

    var swapsSides: Bool { rawValue >= 5 }
}

extension Orientation {
    /// Whether stored columns are counted from the other end when the picture is seen.
    var mirrorsColumns: Bool {
        switch self {
        case .mirrored, .turnedHalf, .transversed, .turnedLeft: true
        case .upright, .flipped, .transposed, .turnedRight: false
        }
    }

    /// The same of rows.
    var mirrorsRows: Bool {
        switch self {
        case .turnedHalf, .flipped, .turnedRight, .transversed: true
        case .upright, .mirrored, .transposed, .turnedLeft: false
        }
    }
}

extension Orientation {
    /// Cameras write a few dozen entries into IFD 0.
    private static let maxEntries = 1_000

    /// Reads the orientation, which alone in EXIF changes how a picture looks (CIPA DC-008: a TIFF header,
    /// IFD 0).
    ///
    /// - Parameter block: begins with the TIFF header.
    /// - Returns: nil if it has no orientation.
    static func read(exif block: ByteReader) -> Orientation? {
        var reader = block
        let isBigEndian: Bool
        if reader.take("MM\0*") {
            isBigEndian = true
        } else if reader.take("II*\0") {
            isBigEndian = false
        } else {
            return nil
        }
        func number(_ count: Int, _ reader: inout ByteReader) -> Int? {
            isBigEndian ? reader.bigEndian(count) : reader.littleEndian(count)
        }
        guard let offset = number(4, &reader) else { return nil }
        var directory = block
        guard directory.skip(offset), let entries = number(2, &directory) else { return nil }
        for _ in 0..<min(entries, maxEntries) {
            guard
                let tag = number(2, &directory), let type = number(2, &directory),
                number(4, &directory) != nil
            else { return nil }
            var value = directory.part(4)
            guard directory.skip(4) else { return nil }
            guard tag == 0x0112 else { continue }
            // SHORT in the standard; real files have BYTE, LONG and the signed types, too.
            let size = [1: 1, 3: 2, 4: 4, 6: 1, 8: 2, 9: 4][type]
            return size.flatMap { number($0, &value) }.map(Orientation.init(exif:))
        }
        return nil
    }
}
