import FoundationEssentials
import Glibc

/// What a list was when its index was made. A list with another stamp is read again.
struct ListStamp: Sendable, Equatable {
    var size: UInt64
    /// Nanoseconds since 1970.
    var modified: UInt64
    var inode: UInt64
    var device: UInt64
    /// Of the columns and the program's form of an index.
    var reading: UInt64

    /// Returns nil if the path is missing or names something other than a file.
    ///
    /// - Parameter reading: ``reading(_:)`` of its columns.
    init?(_ path: String, _ reading: UInt64) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = UInt64(status.st_size)
        modified =
            UInt64(max(0, status.st_mtim.tv_sec)) &* 1_000_000_000
            &+ UInt64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
        device = UInt64(status.st_dev)
        self.reading = reading
    }

    /// Returns why a path has no stamp, or can't be read, in a sentence.
    static func shortcoming(_ path: String) -> String {
        var status = stat()
        if stat(path, &status) == 0, access(path, R_OK) == 0 { return "\(path) is not a file." }
        return "Can't read \(path): \(String(cString: strerror(errno)))."
    }

    static func reading(_ columns: ListColumns) -> UInt64 {
        let words = [columns.url, columns.id, columns.title].map { $0 ?? "\u{0}" }
        return ListIndex.hash(Array(words.joined(separator: "\u{1}").utf8))
    }

    init(_ words: ArraySlice<UInt64>) {
        let words = Array(words)
        (size, modified, inode) = (words[0], words[1], words[2])
        (device, reading) = (words[3], words[4])
    }

    var words: [UInt64] { [size, modified, inode, device, reading] }
}

/// The rows of a list in their order, and by their ids, in a file. It has all that is shown of them, so a list
/// that is overwritten meanwhile changes nothing. Calls may wait for the disk. Thread-safe.
///
/// The file has a head of 64-bit numbers, the rows one behind the other, their offsets in the list's order,
/// and a hash table of offsets by the ids' hashes.
final class ListIndex: Sendable {
    /// Numbers of the file's beginning.
    struct Head: Equatable {
        var stamp: ListStamp
        /// Rows that can be shown.
        var rows: UInt64
        /// Rows that repeat an id.
        var doubles: UInt64
        /// Rows that can't be read.
        var refused: UInt64
        /// Where the parts begin.
        var offsets: UInt64
        var table: UInt64
        /// Slots of the table, and of each of its parts.
        var slots: UInt64
        var partSlots: UInt64

        var listedRows: ListedRows {
            ListedRows(
                all: Int(rows + doubles + refused), doubles: Int(doubles), refused: Int(refused))
        }

        static let byteCount = 104
        static let magic: UInt64 = 0x3254_5349_4C52_5456

        var bytes: [UInt8] {
            let words =
                [Self.magic] + stamp.words + [
                    rows, doubles, refused, offsets, table, slots, partSlots,
                ]
            return words.flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
        }

        init(stamp: ListStamp) {
            self.stamp = stamp
            (rows, doubles, refused, offsets, table, slots, partSlots) = (0, 0, 0, 0, 0, 0, 0)
        }

        init?(_ bytes: [UInt8]) {
            let words = bytes.words
            guard words.count == 13, words[0] == Self.magic else { return nil }
            stamp = ListStamp(words[1...5])
            (rows, doubles, refused) = (words[6], words[7], words[8])
            (offsets, table) = (words[9], words[10])
            (slots, partSlots) = (words[11], words[12])
        }
    }

    /// Bits of an offset in a slot. The others are of the hash.
    static let offsetBits: UInt64 = 44
    /// Bytes of a row that are read at once. Few rows have more.
    private static let rowBytes = 512

    let head: Head
    private let descriptor: Int32

    /// Opens an index; nil if it is missing or of another form.
    init?(_ path: String) {
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard let bytes = Self.read(descriptor, Head.byteCount, at: 0), let head = Head(bytes)
        else {
            close(descriptor)
            return nil
        }
        self.head = head
    }

    deinit { close(descriptor) }

    var count: Int { Int(head.rows) }

    /// Returns the row of an id in its one form.
    func picture(_ id: String) -> ListedPicture? {
        guard head.slots > 0, head.partSlots > 0 else { return nil }
        let hash = ListIndex.hash(Array(id.utf8))
        let slots = head.partSlots
        let first = Self.part(of: hash, head.slots / slots) * slots
        var place = hash & (slots - 1)
        // A run of slots is short, and mostly within these.
        let near: UInt64 = 8
        for _ in 0..<slots / near + 1 {
            let count = min(near, slots - place)
            guard
                let words = Self.read(
                    descriptor, Int(count) * 8, at: head.table + (first + place) * 8)?.words
            else { return nil }
            for word in words {
                if word == 0 { return nil }
                guard word >> Self.offsetBits == hash >> Self.offsetBits,
                    let picture = Self.picture(
                        at: word & (1 << Self.offsetBits - 1), in: descriptor),
                    picture.canonicalID == id
                else { continue }
                return picture
            }
            place = (place + count) & (slots - 1)
        }
        return nil
    }

    /// Returns the first row of each of these URLs, as far as they are among the first rows.
    ///
    /// - Parameter rows: that are looked at.
    func pictures(showing urls: Set<String>, among rows: Int) -> [String: ListedPicture] {
        var found: [String: ListedPicture] = [:]
        let piece = 1_000
        for start in stride(from: 0, to: min(rows, count), by: piece)
        where found.count < urls.count {
            for picture in pictures(start..<min(start + piece, rows))
            where urls.contains(picture.place) && found[picture.place] == nil {
                found[picture.place] = picture
            }
        }
        return found
    }

    /// Returns rows in the list's order.
    func pictures(_ range: Range<Int>) -> [ListedPicture] {
        let range = range.clamped(to: 0..<count)
        guard !range.isEmpty,
            let offsets = Self.read(
                descriptor, range.count * 8, at: head.offsets + UInt64(range.lowerBound) * 8)?.words
        else { return [] }
        return offsets.compactMap { Self.picture(at: $0, in: descriptor) }
    }

    static func picture(at offset: UInt64, in descriptor: Int32) -> ListedPicture? {
        guard let bytes = read(descriptor, rowBytes, at: offset, isShortFine: true) else {
            return nil
        }
        if let picture = ListedPicture(bytes) { return picture }
        guard let length = ListedPicture.byteCount(bytes),
            let whole = read(descriptor, length, at: offset)
        else { return nil }
        return ListedPicture(whole)
    }

    /// Returns FNV-1a, with its bits mixed.
    static func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        hash = (hash ^ hash >> 33) &* 0xff51_afd7_ed55_8ccd
        return hash ^ hash >> 33
    }

    /// Returns which of the table's parts has a hash.
    static func part(of hash: UInt64, _ parts: UInt64) -> UInt64 { hash >> 24 & (parts - 1) }

    static func read(
        _ descriptor: Int32, _ count: Int, at offset: UInt64, isShortFine: Bool = false
    ) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let received = pread(
                    descriptor, buffer.baseAddress.map { $0 + filled }, count - filled,
                    Int(offset) + filled)
                if received > 0 {
                    filled += received
                } else if received == 0 || errno != EINTR {
                    return
                }
            }
        }
        return bytes.count == count || isShortFine && !bytes.isEmpty ? bytes : nil
    }
}

extension [UInt8] {
    /// The 64-bit numbers in these bytes.
    fileprivate var words: [UInt64] {
        stride(from: 0, to: count - 7, by: 8).map { start in
            self[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}

// MARK: - Rows

/// A picture as a row of an index, whose place is a URL in its one form.
extension ListedPicture {
    /// The id in its one form.
    var canonicalID: String { id.flatMap(ListedID.canonical) ?? ListedID.ofURL(place) }

    /// Bytes of the numbers before the texts: line, and the lengths of id, title and URL.
    private static let headBytes = 14
    /// Bytes of a title. Longer ones are cut.
    private static let longestTitle = 2_000
    /// The longest URL is one of 8,192 bytes, and ids are shorter than that, too.
    private static let longestText = 8_192

    /// The row as an index has it; nil if one of its texts is too long.
    var bytes: [UInt8]? {
        let id = Array((id ?? "").utf8)
        var title = title ?? ""
        if title.utf8.count > Self.longestTitle {
            // A scalar has at most four bytes.
            title = String(title.unicodeScalars.prefix(Self.longestTitle / 4))
        }
        let url = Array(place.utf8)
        guard id.count <= Self.longestText, url.count <= Self.longestText else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.headBytes + id.count + title.utf8.count + url.count)
        withUnsafeBytes(of: UInt64(line).littleEndian) { bytes += $0 }
        for count in [id.count, title.utf8.count, url.count] {
            withUnsafeBytes(of: UInt16(count).littleEndian) { bytes += $0 }
        }
        bytes += id
        bytes += title.utf8
        bytes += url
        return bytes
    }

    private static func lengths(_ bytes: [UInt8]) -> [Int]? {
        guard bytes.count >= headBytes else { return nil }
        return stride(from: 8, to: headBytes, by: 2).map {
            Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8
        }
    }

    /// Returns the bytes of the row that begins like this.
    static func byteCount(_ bytes: [UInt8]) -> Int? {
        lengths(bytes).map { $0.reduce(headBytes, +) }
    }

    /// Returns nil if the bytes end before the row does.
    init?(_ bytes: [UInt8]) {
        guard let lengths = Self.lengths(bytes),
            lengths.reduce(Self.headBytes, +) <= bytes.count
        else { return nil }
        line = bytes[..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
        var start = Self.headBytes
        func text(_ length: Int) -> String {
            defer { start += length }
            return String(decoding: bytes[start..<start + length], as: UTF8.self)
        }
        id = text(lengths[0]).nonEmpty
        title = text(lengths[1]).nonEmpty
        place = text(lengths[2])
    }
}
