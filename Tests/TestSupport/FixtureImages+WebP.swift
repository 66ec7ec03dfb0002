extension FixtureImages {
    /// A WebP that doesn't move, with a profile besides (RFC 9649, section 2.7).
    ///
    /// - Parameter webP: without metadata: its chunks are those of pixels, behind a `VP8X` if it has an alpha.
    package static func webp(
        _ webP: [UInt8], size: (width: Int, height: Int), profile: [UInt8]
    ) -> [UInt8] {
        let isExtended = webP[12..<16].elementsEqual("VP8X".utf8)
        let pixels = webP.dropFirst(isExtended ? 30 : 12)
        let flags: UInt8 = 0x20 | (isExtended ? webP[20] & 0x10 : 0)
        let header = [flags, 0, 0, 0] + number(size.width - 1, 3) + number(size.height - 1, 3)
        let content =
            Array("WEBP".utf8) + chunk("VP8X", header) + chunk("ICCP", profile) + Array(pixels)
        return chunk("RIFF", content)
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + number(content.count, 4) + content
            + [UInt8](repeating: 0, count: content.count % 2)
    }

    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
