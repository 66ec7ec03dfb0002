import Imaging

/// Six colours that go together, from the darkest to the lightest, and one that stands out.
struct Palette: Sendable, Hashable {
    let night: RGB
    let deep: RGB
    let mid: RGB
    let bright: RGB
    let pale: RGB
    let accent: RGB

    init(
        _ night: UInt32, _ deep: UInt32, _ mid: UInt32, _ bright: UInt32, _ pale: UInt32,
        accent: UInt32
    ) {
        self.night = RGB(hex: night)
        self.deep = RGB(hex: deep)
        self.mid = RGB(hex: mid)
        self.bright = RGB(hex: bright)
        self.pale = RGB(hex: pale)
        self.accent = RGB(hex: accent)
    }

    /// A colour on the way from night (0) over deep, mid and bright to pale (1).
    func tone(_ position: Double) -> RGB {
        let tones = [night, deep, mid, bright, pale]
        let place = min(max(position, 0), 1) * 4
        let index = min(Int(place), 3)
        return tones[index].mixed(with: tones[index + 1], place - Double(index))
    }

    /// Neon is for the night only.
    static let forEverything: [Palette] = [
        dusk, north, woodland, desert, ink, ocean, rose, mustard, ice, olive, plum, ember,
        lagoon,
    ]

    static let dusk = Palette(0x1A1033, 0x3D1D5C, 0x8E3B6D, 0xE8745A, 0xFFD9A0, accent: 0xFFB347)
    static let north = Palette(0x0D1B2A, 0x1B3A4B, 0x3E6B7B, 0x8FB3B5, 0xE9EDE6, accent: 0xE4572E)
    static let woodland = Palette(
        0x0B1D17, 0x15392C, 0x2F6650, 0x86AE8E, 0xE6ECD6, accent: 0xE9B44C)
    static let desert = Palette(
        0x2A1310, 0x5C2A1E, 0xA8512F, 0xE0995E, 0xFBE3C0, accent: 0x2F9C95)
    static let neon = Palette(0x0A0620, 0x1D0F4A, 0x5A1FA0, 0xD62EA6, 0xFFD0F5, accent: 0x22E0FF)
    static let ink = Palette(0x111113, 0x2B2B30, 0x6B6A6E, 0xBAB6AF, 0xF4F0E8, accent: 0xD7263D)
    static let ocean = Palette(0x04202F, 0x0A4259, 0x16798A, 0x6CC0B8, 0xE8F6EE, accent: 0xFF8C61)
    static let rose = Palette(0x2B0F1F, 0x5B1F3D, 0xA84467, 0xE79AA3, 0xFDEAE2, accent: 0xF2C14E)
    static let mustard = Palette(
        0x211A10, 0x4E3B19, 0xA87A25, 0xE6B84C, 0xFBF0D2, accent: 0xC8452F)
    static let ice = Palette(0x101726, 0x243B5A, 0x5683A8, 0xA9CBE0, 0xF3F8FB, accent: 0xF45B69)
    static let olive = Palette(0x171A10, 0x353D20, 0x6F7C3D, 0xB6B878, 0xF2EFDC, accent: 0xD9622B)
    static let plum = Palette(0x160F29, 0x2E2454, 0x246A73, 0x5FB49C, 0xF3E9D2, accent: 0xF3A712)
    static let ember = Palette(0x1A0A0A, 0x4D1414, 0xA52A1C, 0xEF6F3C, 0xFFE8C8, accent: 0xFFD166)
    static let lagoon = Palette(
        0x0E1F2B, 0x17424A, 0x2A8C82, 0xF2A07B, 0xFFF1DC, accent: 0xE8505B)
}

extension RGB {
    init(hex: UInt32) {
        self.init(
            red: UInt8(hex >> 16 & 0xFF), green: UInt8(hex >> 8 & 0xFF), blue: UInt8(hex & 0xFF))
    }

    /// `share` 0 is this colour, 1 the other.
    func mixed(with other: RGB, _ share: Double) -> RGB {
        func mix(_ from: UInt8, _ to: UInt8) -> UInt8 {
            UInt8(min(max((Double(from) + (Double(to) - Double(from)) * share).rounded(), 0), 255))
        }
        return RGB(
            red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
}
