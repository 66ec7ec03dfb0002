extension JSON {
    /// Why bytes are not a JSON document.
    struct Malformed: Error {
        /// Offset of the first byte that doesn't fit.
        var offset: Int
    }

    /// No document takes more bytes of memory for each of its own: 70 for `[[],[],…`.
    private static let worstRatio = 80

    /// Parses a document (RFC 8259) of UTF-8.
    ///
    /// - Parameter limit: bytes of memory that it may take.
    /// - Throws: ``TooLarge`` before anything is made of a document that would take more. ``Malformed`` for anything
    ///   else, and for values nested deeper than 100.
    package init(parsing bytes: [UInt8], atMost limit: Int = mostMemory) throws {
        if bytes.count > limit / Self.worstRatio {
            let extent = Extent(of: bytes)
            guard extent.memory <= limit else { throw TooLarge(extent: extent, limit: limit) }
        }
        var reader = JSONReader(bytes)
        self = try reader.document()
    }
}

private struct JSONReader {
    private let bytes: [UInt8]
    private var position = 0

    /// Deeper documents are not answers of a catalog, and recursion needs stack.
    private static let maxDepth = 100

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func document() throws -> JSON {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw malformed }
        return value
    }

    private var malformed: JSON.Malformed { .init(offset: position) }

    private mutating func value(depth: Int) throws -> JSON {
        guard depth <= Self.maxDepth else { throw malformed }
        skipSpace()
        guard position < bytes.count else { throw malformed }
        switch bytes[position] {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try list(depth: depth)
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "t"): return try word("true", .flag(true))
        case UInt8(ascii: "f"): return try word("false", .flag(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func object(depth: Int) throws -> JSON {
        position += 1
        var members: [JSON.Member] = []
        skipSpace()
        if take("}") { return .object([]) }
        repeat {
            skipSpace()
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw malformed
            }
            let name = try string()
            skipSpace()
            guard take(":") else { throw malformed }
            members.append(.init(name, try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw malformed }
        return .object(members)
    }

    private mutating func list(depth: Int) throws -> JSON {
        position += 1
        var elements: [JSON] = []
        skipSpace()
        if take("]") { return .list([]) }
        repeat {
            elements.append(try value(depth: depth + 1))
            skipSpace()
        } while take(",")
        guard take("]") else { throw malformed }
        return .list(elements)
    }

    private mutating func string() throws -> String {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            let begin = position
            while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
            text += bytes[begin..<position]
            guard position < bytes.count, bytes[position] >= 0x20 else { throw malformed }
            if bytes[position] == UInt8(ascii: "\\") {
                text += try escape()
            } else {
                position += 1
                guard let text = String(validating: text, as: UTF8.self) else { throw malformed }
                return text
            }
        }
        throw malformed
    }

    /// Whether a byte of a string stands for itself.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape() throws -> [UInt8] {
        guard position + 1 < bytes.count else { throw malformed }
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [letter]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            guard 0xD800...0xDBFF ~= unit, position + 1 < bytes.count,
                bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
            else { return Array(String(decoding: [unit], as: UTF16.self).utf8) }
            let begin = position
            position += 2
            let second = try codeUnit()
            guard 0xDC00...0xDFFF ~= second else {
                position = begin
                return Array(String(decoding: [unit], as: UTF16.self).utf8)
            }
            return Array(String(decoding: [unit, second], as: UTF16.self).utf8)
        default: throw malformed
        }
    }

    private mutating func codeUnit() throws -> UInt16 {
        guard position + 4 <= bytes.count else { throw malformed }
        let digits = bytes[position..<position + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed }
        position += 4
        return unit
    }

    private mutating func number() throws -> JSON {
        let begin = position
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return .number(String(decoding: bytes[begin..<position], as: UTF8.self))
    }

    private mutating func digits() throws {
        let begin = position
        while position < bytes.count, 0x30...0x39 ~= bytes[position] { position += 1 }
        guard position > begin else { throw malformed }
    }

    private mutating func word(_ word: String, _ value: JSON) throws -> JSON {
        guard bytes[position...].starts(with: Array(word.utf8)) else { throw malformed }
        position += word.utf8.count
        return value
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: character) else {
            return false
        }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) {
            position += 1
        }
    }
}
