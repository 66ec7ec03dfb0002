/// One directory of a TIFF, classic or BigTIFF, in either byte order.
struct TIFFDirectory {
    enum Tag: Int {
        case width = 256
        case height = 257
        case bits = 258
        case compression = 259
        case photometric = 262
        case orientation = 274
        case samples = 277
        case rowsPerStrip = 278
        case tileWidth = 322
        case tileHeight = 323
        case sampleFormat = 339
    }

    private static let maxEntries = 4_096

    private let file: File
    private let entries: ByteReader
    private let count: Int
    /// The offset of the next directory; 0 for the last one.
    private let next: Int

    /// Returns the first page and the number of pages.
    ///
    /// Stops counting at ``Header/maxParts`` and at a page that was seen before.
    static func start(_ original: [UInt8]) -> (page: TIFFDirectory?, pages: Int)? {
        guard let (file, first) = File.opened(original) else { return nil }
        let page = TIFFDirectory(file, at: first)
        var seen: Set<Int> = [first]
        var last = page
        while let next = last?.next, seen.count <= Header.maxParts, seen.insert(next).inserted {
            last = TIFFDirectory(file, at: next)
            if last == nil { seen.remove(next) }
        }
        return (page, seen.count)
    }

    private init?(_ file: File, at offset: Int) {
        var reader = file.bytes
        guard offset > 0, reader.skip(offset), let count = file.number(file.isBig ? 8 : 2, &reader),
            1...Self.maxEntries ~= count
        else { return nil }
        self.file = file
        self.count = count
        entries = reader.part(count * file.entrySize)
        guard reader.skip(count * file.entrySize) else { return nil }
        next = file.number(file.isBig ? 8 : 4, &reader) ?? 0
    }

    /// Returns the number of an entry; nil if the tag is missing. The first of several entries
    /// counts, as in libtiff, and the largest of several numbers.
    func number(_ wanted: Tag) -> Int? {
        var reader = entries
        for _ in 0..<count {
            var entry = reader.part(file.entrySize)
            guard reader.skip(file.entrySize), let tag = file.number(2, &entry) else { return nil }
            guard tag == wanted.rawValue else { continue }
            guard let type = file.number(2, &entry), let size = Self.sizes[type],
                let count = file.number(file.isBig ? 8 : 4, &entry), count > 0
            else { return nil }
            let numbers = min(count, 16)
            if count > (file.isBig ? 8 : 4) / size {
                guard let offset = file.number(file.isBig ? 8 : 4, &entry) else { return nil }
                entry = file.bytes
                guard entry.skip(offset) else { return nil }
            }
            return (0..<numbers).compactMap { _ in file.number(size, &entry) }.max()
        }
        return nil
    }

    /// BYTE, SHORT, LONG, LONG8.
    private static let sizes = [1: 1, 3: 2, 4: 4, 16: 8]
}

extension TIFFDirectory {
    /// The file, with its byte order and width of numbers.
    private struct File {
        let bytes: ByteReader
        let isBigEndian: Bool
        let isBig: Bool

        var entrySize: Int { isBig ? 20 : 12 }

        /// Returns the file and the place of the first directory.
        static func opened(_ original: [UInt8]) -> (File, Int)? {
            var reader = ByteReader(original)
            let isBigEndian = reader.starts(with: "MM")
            guard reader.skip(2) else { return nil }
            let version = isBigEndian ? reader.bigEndian(2) : reader.littleEndian(2)
            let file = File(
                bytes: ByteReader(original), isBigEndian: isBigEndian, isBig: version == 43)
            if file.isBig, !reader.skip(4) { return nil }
            return file.number(file.isBig ? 8 : 4, &reader).map { (file, $0) }
        }

        /// Returns nil at the end, and for more than a file can hold.
        func number(_ count: Int, _ reader: inout ByteReader) -> Int? {
            func part(_ count: Int) -> Int? {
                isBigEndian ? reader.bigEndian(count) : reader.littleEndian(count)
            }
            guard count == 8 else { return part(count) }
            guard let first = part(4), let second = part(4) else { return nil }
            let (high, low) = isBigEndian ? (first, second) : (second, first)
            return high < 1 << 20 ? high << 32 | low : nil
        }
    }
}
