extension FixtureImages {
    /// A bitmap with a header of 40 bytes, or of 56 with four masks.
    ///
    /// - Parameters:
    ///   - height: negative if the first row is the top one.
    ///   - masks: red, green, blue and, perhaps, alpha.
    ///   - palette: red, green, blue of each entry.
    ///   - pixels: as they stand in the file.
    package static func bmp(
        width: Int, height: Int, bits: Int, compression: Int = 0, masks: [Int] = [],
        palette: [[UInt8]] = [], pixels: [UInt8]
    ) -> [UInt8] {
        func little(_ value: Int, _ count: Int = 4) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let size = masks.count == 4 ? 56 : 40
        var extra = masks.flatMap { little($0) }
        for color in palette { extra += [color[2], color[1], color[0], 0] }
        let offset = 14 + 40 + extra.count
        var bytes = Array("BM".utf8) + little(offset + pixels.count) + little(0) + little(offset)
        bytes += little(size) + little(width) + little(height) + little(1, 2) + little(bits, 2)
        bytes += little(compression) + little(pixels.count) + little(2_835) + little(2_835)
        bytes += little(palette.count) + little(0)
        return bytes + extra + pixels
    }
}
