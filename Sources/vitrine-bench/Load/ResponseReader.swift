import Glibc

/// Reads one HTTP/1.1 response after another, in whatever pieces it arrives. Pure.
struct ResponseReader: Sendable {
    /// What the head of a response says.
    struct Head: Sendable, Equatable {
        var status = 0
        /// Nil if the body ends with the connection.
        var length: Int?
        /// Whether the connection ends after this response.
        var closes = false
        var hasRetryAfter = false
    }

    enum Step: Sendable, Equatable {
        /// The response continues in the next piece.
        case partial
        /// This piece ends the response. A response without a length is never complete.
        case complete
        /// This is not a response, or more than one.
        case broken
    }

    /// Heads that are longer are broken.
    static let maxHead = 32 << 10

    private(set) var head = Head()
    /// Bytes of the body so far.
    private(set) var bodyBytes = 0
    private(set) var hasHead = false
    /// The part of a head that came before the last piece.
    private var pending: [UInt8] = []

    /// Forgets the last response.
    mutating func reset() {
        head = Head()
        bodyBytes = 0
        hasHead = false
        if !pending.isEmpty { pending.removeAll(keepingCapacity: true) }
    }

    /// Reads a piece. `body` is the part of it that belongs to the response's body.
    mutating func read(_ piece: UnsafeRawBufferPointer, body: inout Range<Int>) -> Step {
        body = 0..<0
        var start = 0
        if !hasHead {
            switch readHead(piece) {
            case .ended(let offset): start = offset
            case .goesOn: return .partial
            case .broken: return .broken
            }
        }
        let count = piece.count - start
        body = start..<piece.count
        bodyBytes += count
        guard let length = head.length else { return .partial }
        if bodyBytes > length { return .broken }
        return bodyBytes == length ? .complete : .partial
    }

    private enum HeadStep {
        /// The body begins at this offset of the piece.
        case ended(Int)
        case goesOn, broken
    }

    private mutating func readHead(_ piece: UnsafeRawBufferPointer) -> HeadStep {
        if pending.isEmpty, let end = Self.end(of: piece) {
            return parse(UnsafeRawBufferPointer(rebasing: piece[..<end])) ? .ended(end) : .broken
        }
        let before = pending.count
        pending.append(contentsOf: piece)
        let end = pending.withUnsafeBytes { Self.end(of: $0) }
        guard let end else { return pending.count > Self.maxHead ? .broken : .goesOn }
        let text = pending
        let isGood = text.withUnsafeBytes {
            parse(UnsafeRawBufferPointer(rebasing: $0[..<end]))
        }
        return isGood ? .ended(end - before) : .broken
    }

    /// Returns the offset after the empty line; nil if it hasn't arrived.
    private static func end(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var line = 0
        // An empty line is a carriage return alone.
        while let found = memchr(base + line, 10, bytes.count - line) {
            let end = UnsafeRawPointer(found) - base
            if end == line + 1, bytes[line] == 13 { return end + 1 }
            line = end + 1
        }
        return nil
    }

    /// Reads a whole head with its empty line. Returns whether it is a response's.
    private mutating func parse(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 16, Self.begins(bytes, with: "HTTP/1."),
            let status = Self.number(bytes[9..<12]), status >= 200
        else { return false }
        head.status = status
        head.closes = bytes[7] == UInt8(ascii: "0")
        var line = 0
        while line < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[line...])
            // Most fields are skipped by their first letter.
            switch rest[0] | 0x20 {
            case UInt8(ascii: "c"):
                if Self.begins(rest, with: "content-length:") {
                    guard let length = Self.number(rest[15..<Self.lineEnd(rest)]) else {
                        return false
                    }
                    head.length = length
                } else if Self.begins(rest, with: "connection:") {
                    let value = rest[11..<Self.lineEnd(rest)].map { $0 | 0x20 }
                    head.closes = value.drop { $0 == 0x20 }.starts(with: Array("close".utf8))
                }
            case UInt8(ascii: "r"):
                if Self.begins(rest, with: "retry-after:") { head.hasRetryAfter = true }
            case UInt8(ascii: "t"):
                // The programs measured here know the length of what they send.
                if Self.begins(rest, with: "transfer-encoding:") { return false }
            default: break
            }
            line += Self.lineEnd(rest) + 1
        }
        if status == 304 || status == 204 { head.length = 0 }
        hasHead = true
        return true
    }

    /// Returns the offset of the line feed.
    private static func lineEnd(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let base = bytes.baseAddress, let found = memchr(base, 10, bytes.count) else {
            return bytes.count
        }
        return UnsafeRawPointer(found) - base
    }

    /// Compares without case.
    private static func begins(_ bytes: UnsafeRawBufferPointer, with text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count >= count, let base = bytes.baseAddress else { return false }
        let words = UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
        return strncasecmp(base.assumingMemoryBound(to: CChar.self), words, count) == 0
    }

    /// Reads decimal digits with blanks around them.
    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        var value = 0
        var digits = 0
        for byte in bytes where byte != 0x20 && byte != 13 && byte != 9 {
            guard (48...57).contains(byte), digits < 15 else { return nil }
            value = value * 10 + Int(byte - 48)
            digits += 1
        }
        return digits > 0 ? value : nil
    }
}
