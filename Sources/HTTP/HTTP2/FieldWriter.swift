/// Writes the fields of the responses of one HTTP/2 connection (HPACK, RFC 7541). Belongs to the connection.
///
/// nghttp2 writes the status of a response, for which it needs no table, and this writes the rest of the block
/// (``HTTP2Session``). So the table that the client keeps is this one's alone. A field that most responses have is
/// put there once, and is a byte from then on; no field ever leaves it. All others are written as they are, without a
/// look at the table, because a value that differs from picture to picture would only displace others.
struct FieldWriter {
    /// Bytes of the client's table unless it says otherwise (RFC 9113, section 6.5.2). Less is not used at all.
    static let tableSize = 4_096
    /// What a field takes in the table besides its bytes (section 4.1).
    private static let overhead = 32
    /// The number of the newest field in the table (section 2.3.3).
    private static let first = 62
    /// Fields in the table, so that the number of each is one byte.
    private static let maxCount = 64

    /// The fields of the table as they are in heads, one after the other, the oldest first.
    private var lines: [UInt8] = []
    private var ends: [Int] = []
    private var size = 0
    /// Whether the client's table can't be used.
    private var isClosed = false

    /// Returns whether the static table has a status, given in digits (appendix A).
    static func isStatic(status: UnsafeRawBufferPointer) -> Bool {
        statuses.contains { RequestHead.bytes($0).equals(status) }
    }

    private static let statuses: [StaticString] = ["200", "304", "206", "404", "400", "204", "500"]

    /// Uses the table no more. What is in there hurts nothing.
    mutating func close() {
        isClosed = true
        (lines, ends, size) = ([], [], 0)
    }

    /// Returns how many bytes the fields of a head take at most.
    static func most(_ head: ResponseHead.Sent) -> Int {
        // In a head a field has four bytes besides its name and its value. Here it has at most seven: one for
        // its form, and three for each length.
        head.bytes.count + 4 * head.places.count
    }

    /// The longest head. Its block fits into a frame, and each length into three bytes.
    static let maxHead = 8 << 10

    /// Writes the fields of a head behind its status, and returns how many bytes they take.
    ///
    /// - Parameters:
    ///   - head: at most ``maxHead`` long.
    ///   - room: has ``most(_:)`` bytes.
    mutating func write(_ head: ResponseHead.Sent, to room: UnsafeMutableRawBufferPointer) -> Int {
        precondition(head.bytes.count <= Self.maxHead && room.count >= Self.most(head))
        var block = Block(room)
        var next = 0
        for place in head.places {
            let line = UnsafeRawBufferPointer(
                rebasing: head.bytes[place.name.lowerBound..<place.value.upperBound])
            guard place.code.isConstant, !isClosed else {
                block.add(0x00, bits: 4, head.bytes, place)
                continue
            }
            if let known = number(of: line, from: next) {
                next = known + 1
                block.add(0x80, bits: 7, Self.first + ends.count - 1 - known)
            } else if insert(line, place) {
                block.add(0x40, bits: 6, head.bytes, place)
            } else {
                block.add(0x00, bits: 4, head.bytes, place)
            }
        }
        return block.count
    }

    /// Returns the place of a field in the table. Most heads have their fields in the same order, so it is
    /// looked for where the one before was found.
    private func number(of line: UnsafeRawBufferPointer, from start: Int) -> Int? {
        let count = ends.count
        return lines.withUnsafeBytes { lines in
            for offset in 0..<count {
                let index = start + offset < count ? start + offset : start + offset - count
                let known = (index == 0 ? 0 : ends[index - 1])..<ends[index]
                if known.count == line.count,
                    UnsafeRawBufferPointer(rebasing: lines[known]).equals(line)
                {
                    return index
                }
            }
            return nil
        }
    }

    /// Returns whether there is room for a field in the table, where it is from now on.
    private mutating func insert(
        _ line: UnsafeRawBufferPointer, _ place: FieldLines.Place
    ) -> Bool {
        let bytes = place.name.count + place.value.count + Self.overhead
        guard ends.count < Self.maxCount, size + bytes <= Self.tableSize else { return false }
        size += bytes
        lines.append(contentsOf: line)
        ends.append(lines.count)
        return true
    }

    /// A block of fields that is being written.
    private struct Block {
        private let room: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        init(_ room: UnsafeMutableRawBufferPointer) { self.room = room }

        /// Adds a field as it is (sections 6.2.1 and 6.2.2).
        ///
        /// - Parameters:
        ///   - form: its first bits.
        ///   - bits: how many bits follow them in the first byte.
        mutating func add(
            _ form: UInt8, bits: Int, _ head: UnsafeRawBufferPointer, _ place: FieldLines.Place
        ) {
            add(form, bits: bits, Int(place.code.name))
            if place.code.name == 0 {
                add(0, bits: 7, place.name.count)
                for index in place.name {
                    let byte = head[index]
                    let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                    room[count] = isUpper ? byte | 0x20 : byte
                    count += 1
                }
            }
            let value = place.value
            add(0, bits: 7, value.count)
            UnsafeMutableRawBufferPointer(rebasing: room[count..<count + value.count])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: head[value]))
            count += value.count
        }

        /// Adds a number (section 5.1).
        mutating func add(_ form: UInt8, bits: Int, _ number: Int) {
            let most = 1 << bits - 1
            guard number >= most else { return add(form | UInt8(number)) }
            add(form | UInt8(most))
            var rest = number - most
            while rest >= 0x80 {
                add(UInt8(rest & 0x7F) | 0x80)
                rest >>= 7
            }
            add(UInt8(rest))
        }

        private mutating func add(_ byte: UInt8) {
            room[count] = byte
            count += 1
        }
    }
}
