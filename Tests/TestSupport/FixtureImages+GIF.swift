package import Imaging

extension FixtureImages {
    /// A GIF of two colors: frame after frame, each all of one of them.
    ///
    /// - Parameters:
    ///   - frames: the color (0 or 1) of each frame.
    ///   - transparent: the transparent color.
    ///   - area: left, top, width and height of each frame; nil for the whole screen.
    package static func gif(
        width: Int, height: Int, colors: (RGB, RGB), frames: [UInt8] = [0],
        transparent: UInt8? = nil, area: [Int]? = nil
    ) -> [UInt8] {
        let size = littleEndian(width) + littleEndian(height)
        var bytes = Array("GIF89a".utf8) + size + [0x80, 0, 0]
        for color in [colors.0, colors.1] { bytes += [color.red, color.green, color.blue] }
        for color in frames {
            bytes += [0x21, 0xF9, 4, transparent == nil ? 0 : 1, 10, 0, transparent ?? 0, 0]
            let area = area ?? [0, 0, width, height]
            bytes += [0x2C] + area.flatMap(littleEndian) + [0]
            bytes += lzw(Array(repeating: color, count: area[2] * area[3]))
        }
        return bytes + [0x3B]
    }

    /// Writes each pixel as one code of three bits. The table is cleared before it can grow.
    private static func lzw(_ pixels: [UInt8]) -> [UInt8] {
        let (clear, end): (UInt8, UInt8) = (4, 5)
        var codes: [UInt8] = []
        for (index, pixel) in pixels.enumerated() {
            if index % 2 == 0 { codes.append(clear) }
            codes.append(pixel)
        }
        codes.append(end)
        var packed: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for code in codes {
            buffer |= Int(code) << bits
            bits += 3
            while bits >= 8 {
                packed.append(UInt8(buffer & 0xFF))
                buffer >>= 8
                bits -= 8
            }
        }
        packed.append(UInt8(buffer & 0xFF))
        var result: [UInt8] = [2]
        for start in stride(from: 0, to: packed.count, by: 255) {
            let block = packed[start..<min(start + 255, packed.count)]
            result += [UInt8(block.count)] + block
        }
        return result + [0]
    }

    private static func littleEndian(_ value: Int) -> [UInt8] {
        [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)]
    }
}
