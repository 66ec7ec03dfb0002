/// Reads numbers from bytes that nobody vouches for: past the end there is nil, never a crash.
struct ByteReader {
    private let bytes: [UInt8]
    private let end: Int
    /// Where the next byte is read; always within the range.
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

    /// Moves on; false and unmoved where that many aren't left.
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, count <= remaining else { return false }
        position += count
        return true
    }

    /// Moves on by what these characters take where they come next.
    mutating func take(_ text: StaticString) -> Bool {
        let matches = starts(with: text)
        if matches { position += text.utf8CodeUnitCount }
        return matches
    }

    /// Whether these characters come next, or `offset` bytes later.
    func starts(with text: StaticString, at offset: Int = 0) -> Bool {
        guard offset + text.utf8CodeUnitCount <= remaining else { return false }
        let start = position + offset
        return text.withUTF8Buffer { $0.elementsEqual(bytes[start..<start + $0.count]) }
    }

    /// The next bytes, fewer where fewer are left, on their own.
    func part(_ count: Int) -> ByteReader {
        ByteReader(bytes, from: position, to: position + min(max(0, count), remaining))
    }
}
