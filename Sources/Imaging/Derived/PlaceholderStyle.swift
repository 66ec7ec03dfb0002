/// The placeholder for items without a picture.
package struct PlaceholderStyle: Sendable, Hashable {
    /// A picture in any supported format; nil draws one.
    package var picture: [UInt8]?
    /// The colors of the drawn one.
    package var background = RGB(red: 0xe0, green: 0xe5, blue: 0xeb)
    package var foreground = RGB(red: 0xa4, green: 0xaf, blue: 0xbd)

    package init() {}
}

/// Draws the picture for an item without one: a quiet frame with hills and a sun, the same every
/// time.
extension PlaceholderStyle {
    /// Returns an SVG as large as a level's box.
    func svg(_ level: Level) -> [UInt8] {
        let (white, black) = (RGB(red: 255, green: 255, blue: 255), RGB(red: 0, green: 0, blue: 0))
        let top = background.mixed(with: white, isDark ? 0.06 : 0.4)
        let bottom = background.mixed(with: black, isDark ? 0.2 : 0.06)
        let paper = background.mixed(with: isDark ? black : white, isDark ? 0.3 : 0.7)
        let (width, height) = (Double(level.width), Double(level.height))
        // The gradient leans by 20 degrees and ends in the last corner.
        let (leaning, falling) = (0.342, 0.940)
        let length = leaning * width + falling * height
        // The glyph is a good third of the shorter side.
        let side = 0.38 * min(width, height)
        let ink = foreground.hex
        return Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(level.width)" height="\(level.height)">
            <linearGradient id="g" gradientUnits="userSpaceOnUse" x1="0" y1="0" \
            x2="\(leaning * length)" y2="\(falling * length)">
            <stop offset="0" stop-color="\(top.hex)"/><stop offset="1" stop-color="\(bottom.hex)"/>
            </linearGradient>
            <rect width="\(level.width)" height="\(level.height)" fill="url(#g)"/>
            <g transform="translate(\((width - side) / 2) \((height - side) / 2)) scale(\(side))">
            <rect y="0.06" width="1" height="0.88" rx="0.13" fill="\(ink)"/>
            <rect x="0.065" y="0.125" width="0.87" height="0.75" rx="0.07" fill="\(paper.hex)"/>
            <circle cx="0.31" cy="0.34" r="0.085" fill="\(ink)" fill-opacity="0.85"/>
            <path d="M0.13 0.81V0.72L0.34 0.53L0.58 0.81Z" fill="\(ink)" fill-opacity="0.7"/>
            <path d="M0.36 0.81L0.64 0.40L0.87 0.68V0.81Z" fill="\(ink)"/>
            </g></svg>
            """.utf8)
    }

    private var isDark: Bool {
        let sum = 2 * Int(background.red) + 5 * Int(background.green) + Int(background.blue)
        return sum < 8 * 128
    }
}

extension RGB {
    /// Returns a mix with `part` (0…1) of the other color.
    fileprivate func mixed(with other: RGB, _ part: Double) -> RGB {
        func mix(_ one: UInt8, _ two: UInt8) -> UInt8 {
            UInt8((Double(one) * (1 - part) + Double(two) * part).rounded())
        }
        return RGB(
            red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
}
