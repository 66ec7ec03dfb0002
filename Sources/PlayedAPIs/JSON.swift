/// A JSON document to be written. Fields keep their order.
package indirect enum JSON: Sendable, Equatable, ExpressibleByStringInterpolation,
    ExpressibleByNilLiteral, ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral
{
    case null
    case bool(Bool)
    case integer(Int)
    /// Finite.
    case number(Double)
    case string(String)
    case array([JSON])
    case object([(name: String, value: JSON)])

    package init(stringLiteral value: String) { self = .string(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(elements.map { (name: $0.0, value: $0.1) })
    }

    /// `null` for nil.
    package init(_ text: String?) { self = text.map(JSON.string) ?? .null }
    package init(_ number: Int?) { self = number.map(JSON.integer) ?? .null }
    package init(strings: [String]) { self = .array(strings.map(JSON.string)) }

    /// The fields of two objects, one after the other.
    package static func + (first: JSON, second: JSON) -> JSON {
        guard case .object(let fields) = first, case .object(let more) = second else {
            return first
        }
        return .object(fields + more)
    }

    package static func += (first: inout JSON, second: JSON) { first = first + second }

    package static func == (first: JSON, second: JSON) -> Bool { first.bytes == second.bytes }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// UTF-8 without white space.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value):
            bytes += (value == value.rounded() ? "\(Int(value))" : "\(value)").utf8
        case .string(let value): Self.write(value, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (offset, element) in elements.enumerated() {
                if offset > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let fields):
            bytes.append(UInt8(ascii: "{"))
            for (offset, field) in fields.enumerated() {
                if offset > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(field.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                field.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                bytes += "\\u00\(byte < 16 ? "0" : "")\(digits)".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
