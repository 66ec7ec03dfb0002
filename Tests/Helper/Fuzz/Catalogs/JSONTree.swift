import Foundation

/// A JSON document that can be written wrongly: with keys twice, and with any text as a number.
indirect enum JSONTree: Sendable {
    /// Written as it is.
    case raw(String)
    case array([JSONTree])
    case object([(key: String, value: JSONTree)])

    /// The document in these bytes; lists are cut to their first `most` entries.
    init(_ bytes: [UInt8], most: Int) throws {
        let value = try JSONSerialization.jsonObject(
            with: Data(bytes), options: .fragmentsAllowed)
        self.init(value, most)
    }

    private init(_ value: Any, _ most: Int) {
        switch value {
        case let values as [Any]: self = .array(values.prefix(most).map { JSONTree($0, most) })
        case let fields as [String: Any]:
            self = .object(
                fields.sorted { $0.key < $1.key }.map { ($0.key, JSONTree($0.value, most)) })
        default:
            let text = try? JSONSerialization.data(
                withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes])
            self = .raw(text.map { String(decoding: $0, as: UTF8.self) } ?? "null")
        }
    }

    /// The value of a field; `nil` if this is not an object or has no such field.
    subscript(_ key: String) -> JSONTree? {
        guard case .object(let fields) = self else { return nil }
        return fields.first { $0.key == key }?.value
    }

    /// The first entry; `nil` if this is not a list, or is empty.
    var first: JSONTree? {
        guard case .array(let values) = self else { return nil }
        return values.first
    }

    var text: String {
        switch self {
        case .raw(let text): text
        case .array(let values): "[\(values.map(\.text).joined(separator: ","))]"
        case .object(let fields):
            "{\(fields.map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ","))}"
        }
    }
}
