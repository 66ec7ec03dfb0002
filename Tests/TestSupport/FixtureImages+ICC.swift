extension FixtureImages {
    /// A profile for RGB in which red and green have changed places: A reader that applies the profile
    /// shows red where the samples say green.
    package static let swappedProfile = profile(
        // sRGB's primaries as seen at the profile connection space's D50, a gamma of 2.2 as 8.8 fixed
        // point.
        red: [0.3851, 0.7169, 0.0971], green: [0.4361, 0.2225, 0.0139],
        blue: [0.1431, 0.0606, 0.7141],
        curve: Array("curv".utf8) + bigEndian(0) + bigEndian(1) + [2, 0x33, 0, 0])

    /// Display P3: wider primaries with the curve of sRGB, as a formula.
    package static let wideProfile = profile(
        red: [0.5151, 0.2412, -0.0011], green: [0.2919, 0.6922, 0.0419],
        blue: [0.1572, 0.0666, 0.7841],
        curve: formula)

    /// Adobe RGB (1998): a wider green, and a gamma of 563/256.
    package static let adobeProfile = profile(
        red: [0.6097, 0.3111, 0.0195], green: [0.2053, 0.6257, 0.0609],
        blue: [0.1492, 0.0632, 0.7446],
        curve: Array("curv".utf8) + bigEndian(0) + bigEndian(1) + [2, 0x33, 0, 0])

    /// Gray as linear light, so that a reader that applies the profile shows a much lighter picture.
    package static let linearGrayProfile = profile(
        "GRAY", [("kTRC", Array("curv".utf8) + bigEndian(0) + bigEndian(0))])

    private static let formula: [UInt8] = {
        let numbers: [Double] = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        let fixed = numbers.map { Int(($0 * 65_536).rounded()) }
        return Array("para".utf8) + bigEndian(0) + [0, 3, 0, 0] + fixed.flatMap(bigEndian)
    }()

    /// An ICC profile (ICC.1:2001-04, matrix and curves) for RGB.
    private static func profile(
        red: [Double], green: [Double], blue: [Double], curve: [UInt8]
    ) -> [UInt8] {
        profile(
            "RGB ",
            [
                ("rXYZ", xyz(red)), ("gXYZ", xyz(green)), ("bXYZ", xyz(blue)), ("rTRC", curve),
                ("gTRC", curve), ("bTRC", curve),
            ])
    }

    /// - Parameter colors: the four letters of the color space.
    private static func profile(_ colors: String, _ values: [(String, [UInt8])]) -> [UInt8] {
        let name = Array("drawn".utf8) + [0]
        let description =
            Array("desc".utf8) + bigEndian(0) + bigEndian(name.count) + name
            + [UInt8](repeating: 0, count: 82)
        let text = Array("text".utf8) + bigEndian(0) + Array("none".utf8)
        let tags =
            [("desc", description), ("cprt", text), ("wtpt", xyz([0.9642, 1, 0.8249]))] + values
        var table = bigEndian(tags.count)
        var content: [UInt8] = []
        for (tag, value) in tags {
            table += Array(tag.utf8) + bigEndian(132 + 12 * tags.count + content.count)
            table += bigEndian(value.count)
            content += value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
        }
        var header = bigEndian(128 + table.count + content.count) + [0, 0, 0, 0]
        header +=
            [2, 0x40, 0, 0] + Array("mntr\(colors)XYZ ".utf8) + [UInt8](repeating: 0, count: 12)
        header += Array("acsp".utf8) + [UInt8](repeating: 0, count: 28)
        header += Array(xyz([0.9642, 1, 0.8249]).dropFirst(8))
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return header + table + content
    }

    /// A JPEG that brings a profile.
    package static func jpeg(_ jpeg: [UInt8], profile: [UInt8]) -> [UInt8] {
        let payload = Array("ICC_PROFILE\0".utf8) + [1, 1] + profile
        let length = payload.count + 2
        return Array(jpeg.prefix(2)) + [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)]
            + payload + jpeg.dropFirst(2)
    }

    /// What goes into a PNG's `iCCP` chunk.
    package static func iccp(_ profile: [UInt8]) -> [UInt8] {
        Array("profile\0\0".utf8) + stored(profile)
    }

    /// Three numbers as 16.16 fixed point.
    private static func xyz(_ values: [Double]) -> [UInt8] {
        Array("XYZ ".utf8) + bigEndian(0)
            + values.flatMap { bigEndian(Int(($0 * 65_536).rounded())) }
    }
}
