import Glibc

extension ListIndex {
    /// Reads parts of an index, and compares their blocks with the checksums. Keeps the blocks that it read
    /// last.
    struct Reader {
        private let index: ListIndex
        /// Bytes that are read at once, at least.
        private let ahead: Int
        private var start: UInt64 = 0
        private var held: [UInt8] = []

        init(_ index: ListIndex, ahead: Int = 0) {
            self.index = index
            self.ahead = ahead
        }

        /// - Throws: ``Damage`` if the file doesn't have these bytes, or other ones than were written.
        mutating func bytes(_ count: Int, at offset: UInt64) throws(Damage) -> [UInt8] {
            let (end, isTooFar) = offset.addingReportingOverflow(UInt64(count))
            guard !isTooFar, offset >= UInt64(Head.byteCount), end <= index.head.sums else {
                throw Damage(reason: "it names a place outside of itself")
            }
            if offset < start || end > start + UInt64(held.count) { try load(offset, to: end) }
            let first = Int(offset - start)
            return Array(held[first..<first + count])
        }

        private mutating func load(_ offset: UInt64, to end: UInt64) throws(Damage) {
            let (base, size) = (UInt64(Head.byteCount), ListIndex.blockBytes)
            let head = index.head
            let wanted = min(head.sums, max(end, offset + UInt64(ahead)))
            let first = (offset - base) / size
            let last = min(head.blocks, (wanted - base + size - 1) / size)
            start = base + first * size
            let count = Int(min(head.sums, base + last * size) - start)
            guard let bytes = ListIndex.read(index.descriptor, count, at: start),
                let sums = ListIndex.read(
                    index.descriptor, Int(last - first) * 8, at: head.sums + first * 8)?.words
            else {
                held = []
                throw Damage(reason: "it can't be read")
            }
            held = bytes
            for (place, sum) in sums.enumerated() {
                let block = held[place * Int(size)..<min(held.count, (place + 1) * Int(size))]
                guard ListIndex.sum(block, first + UInt64(place), head.key) == sum else {
                    held = []
                    throw Damage(reason: "a part doesn't match its checksum")
                }
            }
        }

        /// - Throws: ``Damage`` as ``bytes(_:at:)`` does, and for an offset of something else than a row.
        mutating func picture(at offset: UInt64) throws(Damage) -> ListedPicture {
            let end = index.head.offsets
            guard offset >= UInt64(Head.byteCount), offset < end else {
                throw Damage(reason: "it names a place without a row")
            }
            let near = try bytes(Int(min(UInt64(ListIndex.rowBytes), end - offset)), at: offset)
            if let picture = ListedPicture(near) { return picture }
            guard let length = ListedPicture.byteCount(near), UInt64(length) <= end - offset,
                let picture = ListedPicture(try bytes(length, at: offset))
            else { throw Damage(reason: "it names a place without a row") }
            return picture
        }
    }

    /// Returns the bytes from an offset; nil if they can't be read, or are fewer.
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

    /// Returns a row of an index that is being written, and has no checksums yet.
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
}

extension [UInt8] {
    /// The 64-bit numbers in these bytes.
    var words: [UInt64] {
        withUnsafeBytes { raw in
            stride(from: 0, to: raw.count - 7, by: 8).map {
                UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
        }
    }

    init(littleEndian words: [UInt64]) {
        self = words.map(\.littleEndian).withUnsafeBytes { Array($0) }
    }
}
