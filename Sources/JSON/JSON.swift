/// A JSON value: a document that was read, or one that is to be written.
///
/// Members keep their order and numbers their digits, so that paths select the same values in the
/// same order on every run.
package enum JSON: Sendable, Equatable {
    case null
    case flag(Bool)
    /// As written, such as `12` or `1.5e3`.
    case number(String)
    case text(String)
    case list([JSON])
    case object([Member])

    package struct Member: Sendable, Equatable {
        package var name: String
        package var value: JSON

        package init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// `null` for nil, as in the following three.
    package init(_ text: String?) { self = text.map(JSON.text) ?? .null }
    package init(_ number: Int?) { self = number.map { .number("\($0)") } ?? .null }

    /// - Parameter number: finite.
    package init(_ number: Double?) {
        guard let number else {
            self = .null
            return
        }
        let digits = "\(number)"
        self = .number(digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
    }

    package init(_ texts: [String]) { self = .list(texts.map(JSON.text)) }

    package init(_ members: [String: JSON]) { self = .object(members.map(Member.init)) }

    package static func integer(_ number: Int) -> JSON { .number("\(number)") }

    /// The member of that name, if this is an object that has one. The last one of equals wins.
    package func member(_ name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    /// The member of that name; `null` if this is not an object or has no such member.
    package subscript(_ name: String) -> JSON { member(name) ?? .null }

    /// Appends a member to an object, unless it is nil.
    package mutating func add(_ name: String, _ value: JSON?) {
        guard case .object(var members) = self, let value else { return }
        members.append(Member(name, value))
        self = .object(members)
    }

    /// The members of two objects, one after the other.
    package static func + (first: JSON, second: JSON) -> JSON {
        guard case .object(let members) = first, case .object(let more) = second else {
            return first
        }
        return .object(members + more)
    }

    package static func += (first: inout JSON, second: JSON) { first = first + second }
}

// Not by `nil`, which would then be `null` where an optional is meant.
extension JSON: ExpressibleByStringInterpolation, ExpressibleByDictionaryLiteral,
    ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    package init(arrayLiteral elements: JSON...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map(Member.init))
    }
}

// MARK: - Bytes

extension JSON {
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The document in UTF-8, without white space.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, sortsMembers: false)
        return bytes
    }

    /// The same with the members of each object sorted by the bytes of their names.
    package var sortedBytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes, sortsMembers: true)
        return bytes
    }

    private func write(to bytes: inout [UInt8], sortsMembers: Bool) {
        switch self {
        case .null: bytes += "null".utf8
        case .flag(let flag): bytes += "\(flag)".utf8
        case .number(let digits): bytes += digits.utf8
        case .text(let text): Self.write(text, to: &bytes)
        case .list(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes, sortsMembers: sortsMembers)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(var members):
            if sortsMembers {
                members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            }
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes, sortsMembers: sortsMembers)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0x08: bytes += "\\b".utf8
            case 0x09: bytes += "\\t".utf8
            case 0x0A: bytes += "\\n".utf8
            case 0x0C: bytes += "\\f".utf8
            case 0x0D: bytes += "\\r".utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += "\\u00\(byte < 0x10 ? "0" : "")\(digits)".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
