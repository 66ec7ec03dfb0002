import FoundationEssentials
import Glibc

/// Makes the index of a list: reads the list once, and keeps no more in memory than a part of the table.
struct ListIndexWriter {
    static let pieceBytes = 256 << 10
    /// A longer line is an error, not a row.
    private static let maxLineBytes = 1 << 20

    /// Slots of a part of the table, which is in memory while it is made: 8 MiB.
    private static let partSlots: UInt64 = 1 << 20

    let output: Int32
    /// Offsets and hashes of the rows, for the table. It has no name.
    private let hashes: Int32
    private var end = UInt64(ListIndex.Head.byteCount)
    var head: ListIndex.Head
    private var pending: [UInt8] = []
    private var pendingHashes: [UInt8] = []
    private var rows: UInt64 = 0
    private var firstBad: BadLine?

    /// Writes the index of the list at `path` to `file`, which replaces another at once. Returns the first line
    /// that can't be read.
    ///
    /// - Throws: ``UnreadableList``, with a sentence for each reason.
    static func write(
        _ path: String, _ columns: ListColumns, _ stamp: ListStamp, to file: String,
        partSlots: UInt64 = partSlots
    ) throws(UnreadableList) -> BadLine? {
        sweep(file)
        // No two writers have one name, also within a process.
        let staging = "\(file).\(getpid())-\(UInt32.random(in: .min ... .max)).part"
        let input = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard input >= 0 else { throw failure(path, "read") }
        defer { close(input) }
        let output = open(staging, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        // Each reason names the index: with the name of a staging file, every attempt would have a new one.
        guard output >= 0 else { throw failure(file, "write") }
        defer { close(output) }
        // Until it is closed, other processes leave the file alone.
        flock(output, LOCK_EX | LOCK_NB)
        do throws(UnreadableList) {
            let hashFile = "\(staging).hashes"
            let hashes = open(hashFile, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard hashes >= 0 else { throw failure(file, "write") }
            unlink(hashFile)
            defer { close(hashes) }
            var writer = ListIndexWriter(
                output: output, hashes: hashes,
                head: .init(stamp: stamp, key: .random(in: .min ... .max)))
            try writer.read(input, columns)
            try writer.finish(partSlots)
            // A power cut then leaves the index before, or all of this one.
            guard fsync(output) == 0 else { throw failure(file, "write") }
            guard rename(staging, file) == 0 else { throw failure(file, "write") }
            return writer.firstBad
        } catch {
            unlink(staging)
            throw error
        }
    }

    /// Removes what a process that was killed has left behind.
    private static func sweep(_ file: String) {
        let place = file.lastIndex(of: "/").map { file[...$0] } ?? ""
        let name = file[place.endIndex...]
        let entries =
            (try? FileManager.default.contentsOfDirectory(
                atPath: place.isEmpty ? "." : String(place))) ?? []
        for entry in entries where entry.hasPrefix("\(name).") && entry.hasSuffix(".part") {
            let descriptor = open("\(place)\(entry)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink("\(place)\(entry)") }
            close(descriptor)
        }
    }

    private init(output: Int32, hashes: Int32, head: ListIndex.Head) {
        self.output = output
        self.hashes = hashes
        self.head = head
    }

    private static func failure(_ path: String, _ verb: String) -> UnreadableList {
        UnreadableList(reason: "Can't \(verb) \(path): \(String(cString: strerror(errno))).")
    }

    // MARK: - Rows

    private mutating func read(
        _ input: Int32, _ columns: ListColumns
    ) throws(UnreadableList) {
        var parser = PictureListParser(columns)
        var rest: [UInt8] = []
        var number = 0
        var offset: UInt64 = 0
        while let piece = ListIndex.read(input, Self.pieceBytes, at: offset, isShortFine: true) {
            offset += UInt64(piece.count)
            rest += piece
            var start = rest.startIndex
            // The beginning of a line that is there already has no end.
            var searched = rest.count - piece.count
            while let end = rest[searched...].firstIndex(of: 0x0A) {
                number += 1
                try add(try parser.rows(ofLine: rest[start..<end], number))
                start = end + 1
                searched = start
            }
            rest.removeFirst(start)
            guard rest.count <= Self.maxLineBytes else {
                throw UnreadableList(
                    reason: "Line \(number + 1) is over \(Self.maxLineBytes) bytes.")
            }
        }
        if !rest.isEmpty { try add(try parser.rows(ofLine: rest[...], number + 1)) }
        try add(try parser.finish())
    }

    private mutating func add(_ rows: [ListedRow]) throws(UnreadableList) {
        for row in rows {
            let picture: ListedPicture
            let bytes: [UInt8]
            do throws(BadLine) {
                (picture, bytes) = try Self.indexed(row)
            } catch {
                head.refused += 1
                firstBad = firstBad ?? error
                continue
            }
            let hash = ListIndex.hash(picture.canonicalID.utf8, head.key)
            for word in [end, hash] {
                withUnsafeBytes(of: word.littleEndian) { pendingHashes += $0 }
            }
            pending += bytes
            end += UInt64(bytes.count)
            self.rows += 1
            if pending.count >= Self.pieceBytes { try flush() }
        }
    }

    private static func indexed(
        _ row: ListedRow
    ) throws(BadLine) -> (ListedPicture, bytes: [UInt8]) {
        let picture = try row.get()
        guard picture.place.utf8.count <= SignedURL.longest else {
            throw BadLine(line: picture.line, reason: "its URL is longer than 8,192 bytes")
        }
        guard let bytes = picture.bytes else {
            throw BadLine(line: picture.line, reason: "its id is too long")
        }
        return (picture, bytes)
    }

    private mutating func flush() throws(UnreadableList) {
        try Self.write(pending, to: output, at: end - UInt64(pending.count))
        let count = self.rows * 16
        try Self.write(pendingHashes, to: hashes, at: count - UInt64(pendingHashes.count))
        pending = []
        pendingHashes = []
    }

    static func write(
        _ bytes: [UInt8], to descriptor: Int32, at offset: UInt64
    ) throws(UnreadableList) {
        let code: Int32 = bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let sent = pwrite(
                    descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written,
                    Int(offset) + written)
                if sent >= 0 {
                    written += sent
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        if code != 0 {
            errno = code
            throw failure("the index of a list", "write")
        }
    }

    // MARK: - Table

    /// Writes the table part by part, then the offsets of the rows that are in it, then the head.
    private mutating func finish(_ partSlots: UInt64) throws(UnreadableList) {
        try flush()
        guard rows > 0 else {
            throw UnreadableList(
                reason: head.refused > 0
                    ? "None of its \(head.refused) rows can be read." : "It has no rows.")
        }
        var slots: UInt64 = 16
        while slots < rows + rows / 2 { slots *= 2 }
        head.slots = slots
        head.partSlots = min(slots, partSlots)
        // A hole of the offsets' size, which is known when the doubles are.
        head.offsets = (end + 7) / 8 * 8
        head.table = head.offsets + rows * 8
        var doubles = [UInt64](repeating: 0, count: Int(rows / 64) + 1)
        let size = head.partSlots
        let parts = slots / size
        for part in 0..<parts {
            var table = [UInt64](repeating: 0, count: Int(size))
            try forEachRow { row, offset, hash throws(UnreadableList) in
                guard ListIndex.part(of: hash, parts) == part else { return }
                if !(try insert(offset, hash, into: &table)) {
                    doubles[Int(row / 64)] |= 1 << (row % 64)
                }
            }
            try Self.write(
                [UInt8](littleEndian: table), to: output, at: head.table + part * size * 8)
        }
        var offsets: [UInt8] = []
        var written: UInt64 = 0
        let (begin, output) = (head.offsets, output)
        try forEachRow { row, offset, _ throws(UnreadableList) in
            if doubles[Int(row / 64)] >> (row % 64) & 1 == 1 { return }
            withUnsafeBytes(of: offset.littleEndian) { offsets += $0 }
            if offsets.count >= Self.pieceBytes {
                try Self.write(offsets, to: output, at: begin + written * 8)
                written += UInt64(offsets.count / 8)
                offsets = []
            }
        }
        try Self.write(offsets, to: output, at: begin + written * 8)
        head.rows = written + UInt64(offsets.count / 8)
        head.doubles = rows - head.rows
        try writeTexts { doubles[Int($0 / 64)] >> ($0 % 64) & 1 == 1 }
        try writeSums()
        try Self.write(head.bytes, to: output, at: 0)
    }

    /// Writes the checksums of all blocks behind the head.
    private func writeSums() throws(UnreadableList) {
        let size = Int(ListIndex.blockBytes)
        var number: UInt64 = 0
        while number < head.blocks {
            let start = UInt64(ListIndex.Head.byteCount) + number * ListIndex.blockBytes
            let count = Int(min(UInt64(Self.pieceBytes), head.sums - start))
            guard let bytes = ListIndex.read(output, count, at: start) else {
                throw Self.failure("the index of a list", "read")
            }
            let sums = stride(from: 0, to: count, by: size).map { place in
                ListIndex.sum(
                    bytes[place..<min(count, place + size)], number + UInt64(place / size),
                    head.key)
            }
            try Self.write(
                [UInt8](littleEndian: sums), to: output, at: head.sums + number * 8)
            number += UInt64(sums.count)
        }
    }

    /// Returns false for a row whose id another row before it has.
    private func insert(
        _ offset: UInt64, _ hash: UInt64, into table: inout [UInt64]
    ) throws(UnreadableList) -> Bool {
        let mask = table.count - 1
        var place = Int(hash & UInt64(mask))
        var own: ListedPicture?
        while table[place] != 0 {
            if table[place] >> ListIndex.offsetBits == hash >> ListIndex.offsetBits {
                if own == nil { own = try picture(at: offset) }
                let other = try picture(at: table[place] & (1 << ListIndex.offsetBits - 1))
                if other.canonicalID == own?.canonicalID { return false }
            }
            place = (place + 1) & mask
        }
        table[place] = (hash >> ListIndex.offsetBits) << ListIndex.offsetBits | offset
        return true
    }

    func picture(at offset: UInt64) throws(UnreadableList) -> ListedPicture {
        guard let picture = ListIndex.picture(at: offset, in: output) else {
            throw Self.failure("the index of a list", "read")
        }
        return picture
    }

    func forEachRow(
        _ body: (_ row: UInt64, _ offset: UInt64, _ hash: UInt64) throws(UnreadableList) -> Void
    ) throws(UnreadableList) {
        var row: UInt64 = 0
        while row < rows {
            let count = min(UInt64(Self.pieceBytes / 16), rows - row)
            guard let bytes = ListIndex.read(hashes, Int(count) * 16, at: row * 16) else {
                throw Self.failure("the index of a list", "read")
            }
            let words = bytes.words
            for index in 0..<Int(count) {
                try body(row, words[index * 2], words[index * 2 + 1])
                row += 1
            }
        }
    }
}
