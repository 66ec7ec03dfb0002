/// One directory of a TIFF, classic or BigTIFF, in either byte order.
struct TIFFDirectory {
    enum Tag: Int {
        case kind = 254
        case oldKind = 255
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
        case subdirectories = 330
        case sampleFormat = 339
    }

    private static let maxEntries = 4_096

    private let file: File
    private let entries: ByteReader
    private let count: Int
    /// The offset of the next directory; 0 for the last one.
    private let next: Int

    /// Returns the page that is shown and the number of pages. It is the first one, or the first full one if that
    /// says that it is a smaller copy of another page (TIFF 6.0, NewSubfileType).
    ///
    /// Stops counting at ``Header/maxParts`` and at a page that was seen before.
    ///
    /// - Parameter isReadable: whether a page can be shown instead of the first one.
    static func start(
        _ original: [UInt8], or isReadable: (TIFFDirectory) -> Bool = { _ in false }
    ) -> (page: TIFFDirectory?, at: Header.Page, pages: Int)? {
        guard let (file, first) = File.opened(original) else { return nil }
        let page = TIFFDirectory(file, at: first)
        var seen: Set<Int> = [first]
        var last = page
        var full: (TIFFDirectory, Header.Page)?
        let isReduced = page?.isReduced == true
        while let next = last?.next, seen.count <= Header.maxParts, seen.insert(next).inserted {
            last = TIFFDirectory(file, at: next)
            if last == nil { seen.remove(next) }
            if isReduced, full == nil, let last, last.isFull, isReadable(last) {
                full = (last, Header.Page(number: seen.count - 1))
            }
        }
        if isReduced, full == nil, let page {
            for (index, offset) in page.subdirectories.enumerated() where full == nil {
                guard let part = TIFFDirectory(file, at: offset), part.isFull, isReadable(part)
                else { continue }
                full = (part, Header.Page(number: 0, below: index))
            }
        }
        guard let (page, place) = full else { return (page, .first, seen.count) }
        return (page, place, seen.count)
    }

    /// Returns the page at a place, and the pages that say that they are smaller copies of it: those below it, and
    /// those that follow it (TIFF 6.0, NewSubfileType).
    static func copies(
        _ original: [UInt8], of place: Header.Page
    ) -> (whole: TIFFDirectory?, smaller: [(page: TIFFDirectory, at: Header.Page)]) {
        guard place.below == nil, let (file, first) = File.opened(original) else {
            return (nil, [])
        }
        var seen: Set<Int> = [first]
        var page = TIFFDirectory(file, at: first)
        var (whole, number) = (TIFFDirectory?.none, 0)
        var smaller: [(page: TIFFDirectory, at: Header.Page)] = []
        while let shown = page, smaller.count < maxNumbers {
            if number == place.number {
                whole = shown
                for (index, offset) in shown.subdirectories.enumerated() {
                    guard let part = TIFFDirectory(file, at: offset), part.isCopy else { continue }
                    smaller.append((part, Header.Page(number: number, below: index)))
                }
            } else if number > place.number {
                // A mask may lie between them.
                guard !shown.isFull else { break }
                if shown.isCopy { smaller.append((shown, Header.Page(number: number))) }
            }
            guard seen.count <= Header.maxParts, seen.insert(shown.next).inserted else { break }
            page = TIFFDirectory(file, at: shown.next)
            number += 1
        }
        return (whole, smaller)
    }

    /// Whether samples mean the same as those of another page.
    func isLike(_ other: TIFFDirectory) -> Bool {
        let tags: [Tag] = [.bits, .photometric, .orientation, .samples, .sampleFormat]
        // By default all are 1.
        return tags.allSatisfy { (number($0) ?? 1) == (other.number($0) ?? 1) }
    }

    /// Whether the page is a smaller copy of another one, and no mask.
    private var isCopy: Bool { isReduced && (number(.kind) ?? 0) & 4 == 0 }

    /// Whether the page is a smaller copy of another one.
    private var isReduced: Bool { (number(.kind) ?? 0) & 1 == 1 || number(.oldKind) == 2 }

    /// Whether the page is neither that nor a mask.
    private var isFull: Bool { !isReduced && (number(.kind) ?? 0) & 4 == 0 }

    /// The offsets of the first directories below this one (TIFF technical note 1).
    private var subdirectories: [Int] { numbers(.subdirectories) }

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
    func number(_ wanted: Tag) -> Int? { numbers(wanted).max() }

    /// Returns the first numbers of an entry; none if the tag is missing.
    private func numbers(_ wanted: Tag) -> [Int] {
        var reader = entries
        for _ in 0..<count {
            var entry = reader.part(file.entrySize)
            guard reader.skip(file.entrySize), let tag = file.number(2, &entry) else { return [] }
            guard tag == wanted.rawValue else { continue }
            guard let type = file.number(2, &entry), let size = Self.sizes[type],
                let count = file.number(file.isBig ? 8 : 4, &entry), count > 0
            else { return [] }
            if count > (file.isBig ? 8 : 4) / size {
                guard let offset = file.number(file.isBig ? 8 : 4, &entry) else { return [] }
                entry = file.bytes
                guard entry.skip(offset) else { return [] }
            }
            return (0..<min(count, Self.maxNumbers)).compactMap { _ in file.number(size, &entry) }
        }
        return []
    }

    /// Numbers of an entry that are read.
    private static let maxNumbers = 16

    /// BYTE, SHORT, LONG, IFD, LONG8, IFD8.
    private static let sizes = [1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8]
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
