/// Headers, without pixels, of formats that the project can't write.
extension FixtureImages {
    /// A box of ISO base media, with a version where it has one.
    package static func box(_ name: String, full: Int? = nil, _ content: [UInt8]) -> [UInt8] {
        let content = (full.map { [UInt8($0), 0, 0, 0] } ?? []) + content
        let length = 8 + content.count
        return (0..<4).reversed().map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
            + Array(name.utf8) + content
    }

    /// An AVIF whose item 1 is a grid of 20,000 × 10,000 in `idat`, and says of itself that it is
    /// 64 × 64.
    package static let heifGrid = heifGrid(brand: "avif")

    package static func heifGrid(brand: String) -> [UInt8] {
        let place: [UInt8] = [
            0x44, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 8,
        ]
        return heifGrid(brand: brand, places: box("iloc", full: 1, place))
    }

    /// - Parameters:
    ///   - places: the box with the items' locations.
    ///   - associations: their number, then the properties of each item.
    package static func heifGrid(
        brand: String, places: [UInt8],
        associations: [UInt8] = [0, 0, 0, 1, 0, 1, 1, 1]
    ) -> [UInt8] {
        let ispe = box("ispe", full: 0, [0, 0, 0, 64, 0, 0, 0, 64])
        let clap = box(
            "clap",
            [0, 0, 0, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0]
                + [0, 0, 0, 0, 0, 0, 0, 0])
        let properties = box(
            "iprp", box("ipco", ispe + clap) + box("ipma", full: 0, associations))
        let items = box(
            "iinf", full: 0, [0, 1] + box("infe", full: 2, [0, 1, 0, 0] + Array("grid\0".utf8)))
        let data = box("idat", [0, 0, 0, 0, 0x4E, 0x20, 0x27, 0x10])
        let meta = box(
            "meta", full: 0,
            box("pitm", full: 0, [0, 1]) + items + properties + places + data)
        return box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array(brand.utf8)) + meta
    }

    /// JPEG 2000 of 300 × 200 pixels.
    package static func jp2Codestream(components: UInt8 = 3, tile: UInt8 = 255) -> [UInt8] {
        jp2Codestream(
            sides: [300, 200, 0, 0, UInt32(tile), UInt32(tile), 0, 0], components: components)
    }

    /// - Parameters:
    ///   - sides: width, height, left and top of the grid; then the same of tiles.
    ///   - depth: bits of a sample less one, and 0x80 for signed samples.
    ///   - step: pixels for each sample of a component, in both directions.
    ///   - capabilities: the field Rsiz.
    package static func jp2Codestream(
        sides: [UInt32] = [300, 200, 0, 0, 255, 255, 0, 0], components: UInt8 = 3,
        depth: UInt8 = 7, step: UInt8 = 1, capabilities: Int = 0
    ) -> [UInt8] {
        let each = (0..<Int(components)).flatMap { _ in [depth, step, step] }
        return [0xFF, 0x4F, 0xFF, 0x51, 0, 47, UInt8(capabilities >> 8), UInt8(capabilities & 255)]
            + sides.flatMap { side in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: side >> $0) }
            } + [0, components] + each
    }

    /// The codestream in a container.
    ///
    /// - Parameter header: name and content of a box in the container's header.
    package static func jp2(
        _ codestream: [UInt8], header: (String, [UInt8])? = nil
    ) -> [UInt8] {
        [0, 0, 0, 12, 0x6A, 0x50, 0x20, 0x20, 13, 10, 0x87, 10, 0, 0, 0, 9]
            + Array("ftypx".utf8) + (header.map { box("jp2h", box($0.0, $0.1)) } ?? [])
            + [0, 0, 0, 0] + Array("jp2c".utf8) + codestream
    }

    /// JPEG XL of 24 × 16 black pixels, as libjxl writes it.
    package static let jxl: [UInt8] =
        [0xFF, 0x0A, 0x03, 0x41, 0x24, 0x08, 0x02, 0x01, 0x00] + jxlPixels(0x44)
    /// The same, transparent.
    package static let jxlWithAlpha: [UInt8] =
        [0xFF, 0x0A, 0x03, 0xC1, 0x4A, 0x08, 0x08, 0x10, 0x00] + jxlPixels(0x48)
    /// The same with 16 bits.
    package static let deepJXL: [UInt8] =
        [0xFF, 0x0A, 0x03, 0xF1, 0x03, 0x09, 0x08, 0x02, 0x01, 0x00] + jxlPixels(0x44)

    private static func jxlPixels(_ last: UInt8) -> [UInt8] {
        [0x24, 0x00, 0x4B, 0x18, 0x8B, 0x15, 0x82, 0x0B, last, 0x00, 0x00]
    }

    /// The header of a JPEG XL of any size; bits from the lowest. 30 bits less one for each side, and no
    /// ratio, then all as usual.
    package static func jxlHeader(width: Int, height: Int) -> [UInt8] {
        var (bits, count) = (0, 0)
        var bytes: [UInt8] = [0xFF, 0x0A]
        for (value, length) in [
            (0, 1), (3, 2), (height - 1, 30), (0, 3), (3, 2), (width - 1, 30), (3, 2),
        ] {
            bits |= value << count
            count += length
            while count >= 8 {
                bytes.append(UInt8(truncatingIfNeeded: bits))
                (bits, count) = (bits >> 8, count - 8)
            }
        }
        return bytes + [UInt8(bits)] + [UInt8](repeating: 0, count: 64)
    }

    package static let jxlContainer: [UInt8] =
        [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10]
        + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8)) + box("jxlc", jxl)

    /// WebP of 100 × 50 pixels with alpha: less one each in 14 bits, then the bit for alpha.
    package static let losslessWebP: [UInt8] = {
        let bits = UInt32(99 | 49 << 14 | 1 << 28)
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
        return Array("RIFF\0\0\0\0WEBPVP8L\u{5}\0\0\0".utf8) + [0x2F] + bytes
    }()

    /// WebP of 266 × 20 pixels with alpha, turned left by its EXIF, which may have a prefix.
    package static func extendedWebP(withPrefix: Bool) -> [UInt8] {
        let exif: [UInt8] =
            Array((withPrefix ? "Exif\0\0" : "").utf8)
            + Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0]
        return Array("RIFF\0\0\0\0WEBPVP8X\u{A}\0\0\0".utf8) + [0x18, 0, 0, 0, 9, 1, 0, 19, 0, 0]
            + Array("VP8 \u{3}\0\0\0abc\0".utf8) + Array("EXIF".utf8)
            + [UInt8(exif.count), 0, 0, 0] + exif
    }
}
