import Folders
import FoundationEssentials
import Glibc
import Hashing
import Synchronization

/// The rows of a list in their order, and by their ids, in a file. It has all that is shown of them, so a list
/// that is overwritten meanwhile changes nothing. Calls may wait for the disk. Thread-safe.
///
/// The file has a head of 64-bit numbers, the rows one behind the other, their offsets in the list's order,
/// a hash table of offsets by the ids' hashes, what is searched (``ListTexts``), and a checksum of each block of all that is behind the head.
/// Nothing that is read is believed before it is compared with its checksum, and no number before it is known
/// to lead to a place in the file.
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
        /// Where the checksums begin.
        var sums: UInt64
        /// Random, so that the ids of a list can't be chosen for equal hashes, and blocks of two indexes are
        /// never taken for those of one.
        var key: UInt64
        /// Where the signatures of blocks of texts, the texts and the blocks' places begin; the number of blocks.
        var signatures: UInt64 = 0
        var texts: UInt64 = 0
        var directory: UInt64 = 0
        var textBlocks: UInt64 = 0

        var listedRows: ListedRows {
            ListedRows(
                all: Int(rows + doubles + refused), doubles: Int(doubles), refused: Int(refused))
        }

        static let byteCount = 160
        static let magic: UInt64 = 0x3354_5349_4C52_5456

        private var words: [UInt64] {
            [Self.magic] + stamp.words + [
                rows, doubles, refused, offsets, table, slots, partSlots, sums, key, signatures,
                texts,
                directory, textBlocks,
            ]
        }

        var bytes: [UInt8] {
            let bytes = [UInt8](littleEndian: words)
            return bytes + [UInt8](littleEndian: [ListIndex.hash(bytes, 0)])
        }

        init(stamp: ListStamp, key: UInt64) {
            self.stamp = stamp
            self.key = key
            (rows, doubles, refused, offsets, table, slots, partSlots) = (0, 0, 0, 0, 0, 0, 0)
            sums = 0
        }

        /// - Throws: ``Damage`` if the numbers are not those of a whole index.
        init(_ bytes: [UInt8], fileSize: Int) throws(Damage) {
            let words = bytes.words
            guard words.count * 8 == Self.byteCount,
                words[19] == ListIndex.hash(Array(bytes[..<152]), 0)
            else { throw Damage(reason: "its beginning doesn't match its checksum") }
            stamp = ListStamp(words[1...5])
            (rows, doubles, refused) = (words[6], words[7], words[8])
            (offsets, table) = (words[9], words[10])
            (slots, partSlots) = (words[11], words[12])
            (sums, key) = (words[13], words[14])
            (signatures, texts) = (words[15], words[16])
            (directory, textBlocks) = (words[17], words[18])
            guard isPlausible(UInt64(clamping: fileSize)) else {
                throw Damage(reason: "its size doesn't match its beginning")
            }
        }

        /// Whether all parts are in a file of that size. Sums and products can't overflow.
        private func isPlausible(_ size: UInt64) -> Bool {
            let most: UInt64 = 1 << 50
            let numbers = [
                rows, doubles, refused, offsets, table, slots, partSlots, sums, size, signatures,
                texts,
                directory, textBlocks,
            ]
            guard numbers.allSatisfy({ $0 <= most }), rows > 0,
                slots.nonzeroBitCount == 1, partSlots.nonzeroBitCount == 1, partSlots <= slots
            else { return false }
            return offsets >= UInt64(Self.byteCount) && table >= offsets + rows * 8
                && signatures == table + slots * 8
                && textBlocks == ListTexts.blocks(ofRows: rows)
                && texts == signatures + ListTexts.signatureBytes(textBlocks)
                && directory >= texts && sums == directory + (textBlocks + 1) * 8
                && size == sums + 8 * blocks
        }

        /// Number of blocks, of which the last may be shorter.
        var blocks: UInt64 {
            (sums - UInt64(Self.byteCount) + ListIndex.blockBytes - 1) / ListIndex.blockBytes
        }
    }

    /// Why a file is not an index, in words that follow “is damaged:”.
    struct Damage: Error, Equatable {
        var reason: String
    }

    /// Bits of an offset in a slot. The others are of the hash.
    static let offsetBits: UInt64 = 44
    /// Bytes that have a checksum.
    static let blockBytes: UInt64 = 4_096
    /// Bytes of a row that are read at once. Few rows have more.
    static let rowBytes = 512
    /// Bytes that are read ahead if rows are read in their order.
    private static let aheadBytes = 16 << 10

    let head: Head
    let descriptor: Int32
    private let damage = Mutex<Damage?>(nil)

    /// Why the file turned out to be damaged while it was read; nil if it did not. What was read of it then may
    /// lack rows.
    var foundDamage: Damage? { damage.withLock { $0 } }

    /// Opens an index. Returns nil if it is missing or of another version's form.
    ///
    /// - Throws: ``Damage`` for what is not a whole index, such as a named pipe, which is not waited for.
    static func stored(at path: String) throws(Damage) -> ListIndex? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Damage(reason: "it can't be opened: \(String(cString: strerror(errno)))")
        }
        do throws(Damage) {
            guard let head = try head(descriptor) else {
                close(descriptor)
                return nil
            }
            return ListIndex(descriptor, head)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func head(_ descriptor: Int32) throws(Damage) -> Head? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw Damage(reason: "it is \(FileKind.name(status.st_mode)), not a file")
        }
        guard let bytes = read(descriptor, Head.byteCount, at: 0, isShortFine: true),
            bytes.count >= 8
        else { throw Damage(reason: "it is cut") }
        // "VTRLIST" and the number of the form.
        let form = bytes.words[0]
        if form != Head.magic, form << 8 == Head.magic << 8 { return nil }
        guard form == Head.magic else { throw Damage(reason: "its beginning is another file's") }
        return try Head(bytes, fileSize: Int(status.st_size))
    }

    private init(_ descriptor: Int32, _ head: Head) {
        self.descriptor = descriptor
        self.head = head
    }

    deinit { close(descriptor) }

    var count: Int { Int(head.rows) }

    /// Returns the row of an id in its one form.
    func picture(_ id: String) -> ListedPicture? {
        let hash = ListIndex.hash(Array(id.utf8), head.key)
        let slots = head.partSlots
        let first = Self.part(of: hash, head.slots / slots) * slots
        var place = hash & (slots - 1)
        // A run of slots is short, and mostly within these.
        let near: UInt64 = 8
        var reader = Reader(self)
        do throws(Damage) {
            for _ in 0..<slots / near + 1 {
                let count = min(near, slots - place)
                let words = try reader.bytes(Int(count) * 8, at: head.table + (first + place) * 8)
                    .words
                for word in words {
                    if word == 0 { return nil }
                    guard word >> Self.offsetBits == hash >> Self.offsetBits else { continue }
                    let picture = try reader.picture(at: word & (1 << Self.offsetBits - 1))
                    if picture.canonicalID == id { return picture }
                }
                place = (place + count) & (slots - 1)
            }
        } catch {
            note(error)
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
        if range.isEmpty { return [] }
        var reader = Reader(self, ahead: Self.aheadBytes)
        var pictures: [ListedPicture] = []
        do throws(Damage) {
            let offsets = try reader.bytes(
                range.count * 8, at: head.offsets + UInt64(range.lowerBound) * 8
            ).words
            for offset in offsets { pictures.append(try reader.picture(at: offset)) }
        } catch {
            note(error)
        }
        return pictures
    }

    /// Removes the file from a path, unless another one has that by now.
    func remove(_ path: String) {
        var (own, there) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat(path, &there) == 0, own.st_ino == there.st_ino,
            own.st_dev == there.st_dev
        else { return }
        unlink(path)
    }

    func note(_ found: Damage) { damage.withLock { $0 = $0 ?? found } }

    /// Returns eight bytes of the SHA-256 of a key and bytes.
    static func hash(_ bytes: some Collection<UInt8>, _ key: UInt64) -> UInt64 {
        var hash = SHA256()
        withUnsafeBytes(of: key.littleEndian) { hash.update($0) }
        Array(bytes).withUnsafeBytes { hash.update($0) }
        return hash.finalize().words[0]
    }

    /// Returns the checksum of a block.
    static func sum(_ block: ArraySlice<UInt8>, _ number: UInt64, _ key: UInt64) -> UInt64 {
        // Blocks of another place or of another index have other sums.
        hash(block, key ^ number &* 0x9E37_79B9_7F4A_7C15)
    }

    /// Returns which of the table's parts has a hash.
    static func part(of hash: UInt64, _ parts: UInt64) -> UInt64 { hash >> 24 & (parts - 1) }
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

    /// Returns nil if the bytes end before the row does, or are not those of a row.
    init?(_ bytes: [UInt8]) {
        guard let lengths = Self.lengths(bytes),
            lengths.reduce(Self.headBytes, +) <= bytes.count
        else { return nil }
        guard let line = Int(exactly: Array(bytes[..<8]).words[0]) else { return nil }
        self.line = line
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
