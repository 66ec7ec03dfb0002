extension FixtureImages {
    package enum TIFFKind: CaseIterable, Sendable {
        case littleEndian, bigEndian, big, bigBigEndian

        var isBig: Bool { self == .big || self == .bigBigEndian }
        var isBigEndian: Bool { self == .bigEndian || self == .bigBigEndian }
    }

    /// An uncompressed TIFF of one color in one strip.
    ///
    /// - Parameters:
    ///   - samples: the bytes of a pixel's samples; as many bands as there are.
    ///   - depth: bits of a sample, 8 times the bytes.
    ///   - format: of samples: 1 for unsigned integers, 2 for signed ones, 3 for floats.
    ///   - more: further tags with one SHORT each.
    ///   - next: the link to the next directory; 0 for none, 1 for this one again.
    package static func tiff(
        width: Int = 4, height: Int = 4, _ kind: TIFFKind = .littleEndian,
        samples: [[UInt8]] = [[200], [100], [50]], depth: Int = 8, format: Int = 1,
        photometric: Int = 2, rowsPerStrip: Int? = nil, profile: [UInt8]? = nil,
        entries more: [(tag: Int, value: Int)] = [], next: Int = 0
    ) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return kind.isBigEndian ? bytes.reversed() : bytes
        }
        let word = kind.isBig ? 8 : 4
        var file = Array((kind.isBigEndian ? "MM" : "II").utf8) + number(kind.isBig ? 43 : 42, 2)
        if kind.isBig { file += number(8, 2) + number(0, 2) }
        let link = file.count
        file += number(0, word)
        /// Appends bytes, and returns where they are.
        func place(_ bytes: [UInt8]) -> Int {
            defer { file += bytes + (bytes.count % 2 == 1 ? [0] : []) }
            return file.count
        }
        let pixels = (0..<width * height).flatMap { _ in samples.flatMap(\.self) }
        let (bands, strip) = (samples.count, place(pixels))
        // Types: 3 for SHORT, 4 for LONG, 7 for bytes.
        var entries: [(tag: Int, type: Int, values: [Int])] = [
            (256, 4, [width]), (257, 4, [height]),
            (258, 3, [Int](repeating: depth, count: bands)), (259, 3, [1]),
            (262, 3, [photometric]), (273, 4, [strip]), (277, 3, [bands]),
            (278, 4, [rowsPerStrip ?? height]), (279, 4, [pixels.count]), (284, 3, [1]),
            (339, 3, [Int](repeating: format, count: bands)),
        ]
        // Straight alpha.
        if bands == 4 { entries.append((338, 3, [2])) }
        if let profile { entries.append((34_675, 7, profile.map { Int($0) })) }
        entries += more.map { ($0.tag, 3, [$0.value]) }
        entries.sort { $0.tag < $1.tag }
        let fields = entries.flatMap { entry -> [UInt8] in
            let bytes = entry.values.flatMap { number($0, [3: 2, 4: 4][entry.type] ?? 1) }
            let room = [UInt8](repeating: 0, count: max(0, word - bytes.count))
            var field = number(entry.tag, 2) + number(entry.type, 2)
            field += number(entry.values.count, word)
            field += bytes.count > word ? number(place(bytes), word) : bytes + room
            return field
        }
        let directory = file.count
        file.replaceSubrange(link..<link + word, with: number(directory, word))
        return file + number(entries.count, kind.isBig ? 8 : 2) + fields
            + number(next == 1 ? directory : next, word)
    }
}
