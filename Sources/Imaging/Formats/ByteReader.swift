/// Reads numbers from untrusted bytes: nil past the end, never a crash.
struct ByteReader {
    private let bytes: [UInt8]
    private let end: Int
    /// The place of the next byte, always within the range.
    private(set) var position: Int

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        end = bytes.count
        position = 0
    }

    private init(_ bytes: [UInt8], from: Int, to: Int) {
        self.bytes = bytes
        position = from
        end = to
    }

    var remaining: Int { end - position }

    mutating func byte() -> Int? {
        guard position < end else { return nil }
        defer { position += 1 }
        return Int(bytes[position])
    }

    /// `count` is 1…7.
    mutating func bigEndian(_ count: Int) -> Int? {
        guard remaining >= count else { return nil }
        defer { position += count }
        return (position..<position + count).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }

    mutating func littleEndian(_ count: Int) -> Int? {
        guard remaining >= count else { return nil }
        defer { position += count }
        return (position..<position + count).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }

    /// Returns a copy of the next bytes; nil if fewer are left.
    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= remaining else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// Skips bytes; returns false, without moving, if fewer are left.
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= remaining else { return false }
        position += count
        return true
    }

    /// Skips these characters if they come next; returns whether they did.
    mutating func take(_ text: StaticString) -> Bool {
        let matches = starts(with: text)
        if matches { position += text.utf8CodeUnitCount }
        return matches
    }

    /// Returns whether these characters come next, or `offset` bytes later.
    func starts(with text: StaticString, at offset: Int = 0) -> Bool {
        guard offset + text.utf8CodeUnitCount <= remaining else { return false }
        let start = position + offset
        return text.withUTF8Buffer { $0.elementsEqual(bytes[start..<start + $0.count]) }
    }

    /// Returns whether this byte comes next.
    func starts(with byte: UInt8) -> Bool { position < end && bytes[position] == byte }

    /// Returns a reader of the next bytes alone; of fewer if fewer are left.
    func part(_ count: Int) -> ByteReader {
        ByteReader(bytes, from: position, to: position + min(max(0, count), remaining))
    }
}

/// Writes numbers as bytes, most significant first; the counterpart of ``ByteReader``.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter count: 1…8; higher bytes of the value are dropped.
    mutating func put(_ value: Int, _ count: Int) {
        for index in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }

    mutating func put(_ more: [UInt8]) { bytes += more }

    /// Reserves memory for this number of further bytes.
    mutating func reserve(_ more: Int) { bytes.reserveCapacity(bytes.count + more) }
}
