extension FixtureImages {
    /// An OpenEXR of scanlines without compression; a pixel has a half for each channel, whose
    /// names are in alphabetical order.
    package static func exr(
        width: Int, height: Int, channels: [String], halves: [UInt16], corner: (Int, Int) = (0, 0),
        version: Int = 2
    ) -> [UInt8] {
        var file: [UInt8] = [0x76, 0x2F, 0x31, 0x01] + little(version, 4)
        func attribute(_ name: String, _ type: String, _ value: [UInt8]) {
            file += Array(name.utf8) + [0] + Array(type.utf8) + [0] + little(value.count, 4) + value
        }
        let window = [corner.0, corner.1, corner.0 + width - 1, corner.1 + height - 1]
            .flatMap { little($0, 4) }
        // Type 1 is half, then a byte for linear and three to spare, then the sampling.
        let list = channels.flatMap { channel -> [UInt8] in
            Array(channel.utf8) + [0] + little(1, 4) + [0, 0, 0, 0] + little(1, 4) + little(1, 4)
        }
        attribute("channels", "chlist", list + [0])
        attribute("compression", "compression", [0])
        attribute("dataWindow", "box2i", window)
        attribute("displayWindow", "box2i", window)
        attribute("lineOrder", "lineOrder", [0])
        attribute("pixelAspectRatio", "float", little(0x3F80_0000, 4))
        attribute("screenWindowCenter", "v2f", [UInt8](repeating: 0, count: 8))
        attribute("screenWindowWidth", "float", little(0x3F80_0000, 4))
        file.append(0)
        let line = width * channels.count * 2
        let lines = file.count + height * 8
        for row in 0..<height { file += little(lines + row * (line + 8), 8) }
        for row in 0..<height {
            file += little(corner.1 + row, 4) + little(line, 4)
            for channel in channels.indices {
                for x in 0..<width {
                    let at = (row * width + x) * channels.count + channel
                    file += little(Int(halves[at]), 2)
                }
            }
        }
        return file
    }

    /// A Radiance picture: lines of text, then what is given.
    package static func radiance(
        size: String, format: String = "32-bit_rle_rgbe", pixels: [UInt8]
    ) -> [UInt8] {
        Array("#?RADIANCE\n# by hand\nFORMAT=\(format)\n\n\(size)\n".utf8) + pixels
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
