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
