package import Imaging

extension FixtureImages {
    package enum TIFFKind: CaseIterable, Sendable {
        case littleEndian, bigEndian, big, bigBigEndian

        var isBig: Bool { self == .big || self == .bigBigEndian }
        var isBigEndian: Bool { self == .bigEndian || self == .bigBigEndian }
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
