import Imaging

/// Six colors that go together, from the darkest to the lightest, and one that stands out.
struct Palette: Sendable, Hashable {
    private let colors: [RGB]
    var accent: RGB { colors[5] }

    /// By name.
    static let all: [String: Palette] = Words.rows("palettes").reduce(into: [:]) { all, row in
        all[row[0]] = Palette(colors: row[1].split(separator: " ").map { RGB(hex: $0) })
    }

    /// A color on the way from the darkest (0) to the lightest (1).
    func tone(_ position: Double) -> RGB {
        let place = min(max(position, 0), 1) * 4
        let index = min(Int(place), 3)
        return colors[index].mixed(with: colors[index + 1], place - Double(index))
    }
}

extension RGB {
    /// `1A1033`.
    fileprivate init(hex text: Substring) {
        let hex = UInt32(text, radix: 16) ?? 0
        self.init(
            red: UInt8(hex >> 16 & 0xFF), green: UInt8(hex >> 8 & 0xFF), blue: UInt8(hex & 0xFF))
    }

    /// `share` 0 is this color, 1 the other.
    func mixed(with other: RGB, _ share: Double) -> RGB {
        func mix(_ from: UInt8, _ to: UInt8) -> UInt8 {
            UInt8(min(max((Double(from) + (Double(to) - Double(from)) * share).rounded(), 0), 255))
        }
        return RGB(
            red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
}
