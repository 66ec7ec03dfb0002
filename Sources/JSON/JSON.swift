/// A JSON document.
///
/// Members keep their order and numbers their digits, so that paths select the same values in the
/// same order on every run.
package enum JSONTree: Sendable, Equatable {
    case null
    case flag(Bool)
    /// As written, such as `12` or `1.5e3`.
    case number(String)
    case text(String)
    case list([JSONTree])
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: JSONTree
    }

    /// The member of that name, if this is an object that has one. The last one of equals wins.
    func member(_ name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    var isList: Bool {
        if case .list = self { true } else { false }
    }

    /// The elements of a list, or the values of an object; empty for other values.
    var children: [JSONTree] {
        switch self {
        case .list(let elements): elements
        case .object(let members): members.map(\.value)
        case .null, .flag, .number, .text: []
        }
    }

    /// Number of elements or members.
    var childCount: Int {
        switch self {
        case .list(let elements): elements.count
        case .object(let members): members.count
        case .null, .flag, .number, .text: 0
        }
    }

    /// The text of a string without white space at its ends, or the digits of a number; nil for
    /// an empty string and for every other value.
    var plainText: String? {
        switch self {
        case .text(let text): text.trimmed.nonEmpty
        case .number(let digits): digits
        case .null, .flag, .list, .object: nil
        }
    }

    /// The number of pixels or items that a number or a string of digits names; nil if it is not
    /// within `range`.
    func whole(in range: ClosedRange<Int>) -> Int? {
        guard let number = plainText.flatMap(Double.init),
            number >= Double(range.lowerBound), number <= Double(range.upperBound)
        else { return nil }
        return Int(number)
    }

    /// What this is, for people: `an object with “id” and “name”`, `a list of 3`, `"Dune"`.
    package var summary: String {
        switch self {
        case .null: return "null"
        case .flag(let flag): return "\(flag)"
        case .number(let digits): return digits
        case .text(let text): return "\"\(text.count <= 60 ? text : text.prefix(59) + "…")\""
        case .list(let elements):
            return elements.isEmpty ? "an empty list" : "a list of \(elements.count)"
        case .object(let members):
            let names = members.prefix(12).map { "“\($0.name.shortened)”" }
            let more = members.count > names.count ? " and \(members.count - names.count) more" : ""
            return names.isEmpty
                ? "an empty object" : "an object with \(names.joined(separator: ", "))\(more)"
        }
    }
}

// MARK: - Bytes

extension JSONTree {
    /// The document in UTF-8, without white space.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .flag(let flag): bytes += "\(flag)".utf8
        case .number(let digits): bytes += digits.utf8
        case .text(let text): Self.write(text, to: &bytes)
        case .list(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte < 0x20 {
                let digits = String(byte, radix: 16)
                bytes += "\\u\(digits.count == 1 ? "000" : "00")\(digits)".utf8
                continue
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                bytes.append(UInt8(ascii: "\\"))
            }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Why bytes are not a JSON document.
    struct Malformed: Error {
        /// Offset of the first byte that doesn't fit.
        var offset: Int
    }

    /// Parses a document (RFC 8259) of UTF-8.
    ///
    /// - Throws: ``Malformed`` for anything else, and for values nested deeper than 100.
    package init(parsing bytes: [UInt8]) throws {
        var reader = JSONTreeReader(bytes)
        self = try reader.document()
    }
}

private struct JSONTreeReader {
    private let bytes: [UInt8]
    private var position = 0

    /// Deeper documents are not answers of a catalog, and recursion needs stack.
    private static let maxDepth = 100

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func document() throws -> JSONTree {
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw malformed }
        return value
    }

    private var malformed: JSONTree.Malformed { .init(offset: position) }

    private mutating func value(depth: Int) throws -> JSONTree {
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

    private mutating func object(depth: Int) throws -> JSONTree {
        position += 1
        var members: [JSONTree.Member] = []
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
            members.append(.init(name: name, value: try value(depth: depth + 1)))
            skipSpace()
        } while take(",")
        guard take("}") else { throw malformed }
        return .object(members)
    }

    private mutating func list(depth: Int) throws -> JSONTree {
        position += 1
        var elements: [JSONTree] = []
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

    private mutating func number() throws -> JSONTree {
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

    private mutating func word(_ word: String, _ value: JSONTree) throws -> JSONTree {
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
