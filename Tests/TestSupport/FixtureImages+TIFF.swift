package import Imaging

extension FixtureImages {
    package enum TIFFKind: CaseIterable, Sendable {
        case littleEndian, bigEndian, big, bigBigEndian

        var isBig: Bool { self == .big || self == .bigBigEndian }
        var isBigEndian: Bool { self == .bigEndian || self == .bigBigEndian }
    }

    /// An uncompressed little-endian TIFF of one color in one strip, of any kind of samples.
    ///
    /// - Parameters:
    ///   - sample: its bytes; as many bands as there are.
    ///   - depth: bits of a sample, 8 times the bytes.
    ///   - kind: 1 for unsigned integers, 2 for signed ones, 3 for floats.
    package static func samples(
        width: Int = 4, height: Int = 4, _ sample: [[UInt8]] = [[1], [2], [3]], depth: Int = 8,
        kind: Int = 1, photometric: Int = 2, rowsPerStrip: UInt32? = nil, profile: [UInt8]? = nil
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let bands = sample.count
        let pixels = (0..<width * height).flatMap { _ in sample.flatMap(\.self) }
        // Two lists of a number for each band, then the pixels and the profile.
        let depths = 8
        let kinds = depths + 8
        let strip = kinds + 8
        let profileAt = strip + (pixels.count + 1) / 2 * 2
        let directory = profileAt + ((profile?.count ?? 0) + 1) / 2 * 2
        var entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
            (256, 4, 1, width), (257, 4, 1, height), (258, 3, bands, depths), (259, 3, 1, 1),
            (262, 3, 1, photometric), (273, 4, 1, strip), (277, 3, 1, bands),
            (278, 4, 1, Int(rowsPerStrip ?? UInt32(height))), (279, 4, 1, pixels.count),
            (284, 3, 1, 1),
        ]
        // Straight alpha.
        if bands == 4 { entries.append((338, 3, 1, 2)) }
        entries.append((339, 3, bands, kinds))
        if let profile { entries.append((34_675, 7, profile.count, profileAt)) }
        var file = Array("II".utf8) + number(42, 2) + number(directory, 4)
        for value in [depth, kind] {
            file += (0..<4).flatMap { number($0 < bands ? value : 0, 2) }
        }
        file += pixels
        file += [UInt8](repeating: 0, count: profileAt - file.count) + (profile ?? [])
        file += [UInt8](repeating: 0, count: directory - file.count) + number(entries.count, 2)
        for entry in entries {
            file += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            file += number(entry.value, 4)
        }
        return file + number(0, 4)
    }

    /// An uncompressed RGB TIFF in one strip.
    ///
    /// - Parameters:
    ///   - entries: further tags with one SHORT each, in ascending order.
    ///   - next: the link to the next directory; 0 for none, 1 for this one again.
    package static func tiff(
        width: Int, height: Int, _ kind: TIFFKind = .littleEndian,
        entries more: [(tag: Int, value: Int)] = [], next: Int = 0,
        color: RGB = RGB(red: 200, green: 100, blue: 50)
    ) -> [UInt8] {
        let pixels = (0..<width * height).flatMap { _ in [color.red, color.green, color.blue] }
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return kind.isBigEndian ? bytes.reversed() : bytes
        }
        let word = kind.isBig ? 8 : 4
        let start = kind.isBig ? 16 : 8
        let directory = start + 6 + pixels.count + (pixels.count & 1)
        // Tag, type, count, and offset or value.
        var entries: [(tag: Int, type: Int, count: Int, value: Int)] = [
            (256, 4, 1, width), (257, 4, 1, height), (258, 3, 3, kind.isBig ? 0 : start),
            (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, start + 6), (277, 3, 1, 3),
            (278, 4, 1, height), (279, 4, 1, pixels.count), (284, 3, 1, 1),
        ]
        entries += more.map { ($0.tag, 3, 1, $0.value) }
        entries.sort { $0.tag < $1.tag }
        var file: [UInt8] = kind.isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        file += number(kind.isBig ? 43 : 42, 2)
        if kind.isBig { file += number(8, 2) + number(0, 2) }
        file += number(directory, word)
        file += number(8, 2) + number(8, 2) + number(8, 2) + pixels
        if pixels.count & 1 == 1 { file.append(0) }
        file += number(entries.count, kind.isBig ? 8 : 2)
        for entry in entries {
            file += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, word)
            if kind.isBig, entry.count == 3 {
                // Three SHORTs fit in.
                file += number(8, 2) + number(8, 2) + number(8, 2) + [0, 0]
                continue
            }
            let size = entry.count > 1 ? word : entry.type == 3 ? 2 : 4
            file += number(entry.value, size) + [UInt8](repeating: 0, count: word - size)
        }
        return file + number(next == 1 ? directory : next, word)
    }
}
