extension FixtureImages {
    package enum PNGColor: UInt8, Sendable {
        case gray = 0
        case rgb = 2
        case grayAlpha = 4
        case rgba = 6

        package var bands: Int {
            switch self {
            case .gray: 1
            case .rgb: 3
            case .grayAlpha: 2
            case .rgba: 4
            }
        }
    }

    /// A PNG of exactly these samples, uncompressed.
    ///
    /// - Parameters:
    ///   - depth: 8 or 16 bits; with 16 a sample is written as it is, with 8 its lower byte.
    ///   - chunks: name and content of what goes between header and pixels, such as `eXIf`.
    ///   - sample: x, y and band.
    package static func png(
        width: Int, height: Int, _ color: PNGColor = .rgb, depth: Int = 8,
        chunks: [(String, [UInt8])] = [], sample: (Int, Int, Int) -> Int
    ) -> [UInt8] {
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)  // No filter.
            for x in 0..<width {
                for band in 0..<color.bands {
                    let value = sample(x, y, band)
                    if depth == 16 { rows.append(UInt8(truncatingIfNeeded: value >> 8)) }
                    rows.append(UInt8(truncatingIfNeeded: value))
                }
            }
        }
        let header =
            bigEndian(width) + bigEndian(height) + [UInt8(depth), color.rawValue, 0, 0, 0]
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        return signature + chunk("IHDR", header) + chunks.flatMap { chunk($0, $1) }
            + chunk("IDAT", stored(rows)) + chunk("IEND", [])
    }

    /// zlib with stored blocks (RFC 1950, RFC 1951 section 3.2.4).
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: bytes.count, by: 65_535) {
            let block = bytes[start..<min(start + 65_535, bytes.count)]
            let size = UInt16(block.count)
            result.append(start + block.count == bytes.count ? 1 : 0)
            for value in [size, ~size] {
                result += [UInt8(value & 0xFF), UInt8(value >> 8)]
            }
            result += block
        }
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return result + bigEndian(Int(b << 16 | a))
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + content
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in named {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : 0xEDB8_8320 ^ (crc >> 1) }
        }
        return bigEndian(content.count) + named + bigEndian(Int(~crc))
    }

    static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
