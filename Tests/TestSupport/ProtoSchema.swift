import Foundation

/// Messages as `.proto` files declare them, in OTLP's JSON form: names in camel case, identifiers in hexadecimal
/// digits, 64-bit numbers as text, enumerations as numbers.
///
/// It reads what OpenTelemetry's published files have, which lie beside the tests.
package struct ProtoSchema: Sendable {
    private struct Field: Sendable {
        var type: String
        var isRepeated: Bool
        /// Fields of the same choice exclude each other.
        var choice: String?
    }

    private var messages: [String: [String: Field]] = [:]
    private var enumerations: [String: Set<Int>] = [:]

    /// The messages of spans, `ExportTraceServiceRequest` and what is in it.
    package static func spans() throws -> ProtoSchema {
        var schema = ProtoSchema()
        let directory = Recordings.directory.deletingLastPathComponent()
            .appendingPathComponent("otlp")
        for name in ["trace_service", "trace", "common", "resource"] {
            let file = directory.appendingPathComponent("\(name).proto")
            var words = Self.words(try String(contentsOf: file, encoding: .utf8))[...]
            while !words.isEmpty { schema.readStatement(&words, of: nil, choice: nil) }
        }
        return schema
    }

    private static func words(_ text: String) -> [Substring] {
        text.split(separator: "\n").map { line in
            line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        }.joined(separator: " ").matches(of: /"[^"]*"|[\w.]+|[^\s\w.]/).map(\.output)
    }

    private mutating func readStatement(
        _ words: inout ArraySlice<Substring>, of message: String?, choice: String?
    ) {
        switch words.first {
        case "message", "enum", "oneof":
            let kind = words.removeFirst()
            let name = String(words.removeFirst())
            words.removeFirst()
            if kind == "message" { messages[name] = [:] }
            while let word = words.first, word != "}" {
                switch kind {
                case "message": readStatement(&words, of: name, choice: nil)
                case "oneof": readStatement(&words, of: message, choice: name)
                default: readValue(&words, of: name)
                }
            }
            words.removeFirst()
        case "syntax", "package", "import", "option", "reserved", ";": Self.skip(&words)
        case "service":
            // Says how messages are sent, not what is in them.
            words = words.drop { $0 != "}" }.dropFirst()
        case "}": words.removeFirst()
        default: readField(&words, of: message, choice: choice)
        }
    }

    /// `repeated KeyValue attributes = 1;`
    private mutating func readField(
        _ words: inout ArraySlice<Substring>, of message: String?, choice: String?
    ) {
        let statement = words.prefix { $0 != ";" }
        Self.skip(&words)
        let isRepeated = statement.first == "repeated"
        let rest = isRepeated ? statement.dropFirst() : statement
        guard let message, rest.count >= 4, let type = rest.first?.split(separator: ".").last,
            let name = rest.dropFirst().first
        else { return }
        messages[message]?[Self.camelCase(name)] = Field(
            type: String(type), isRepeated: isRepeated, choice: choice)
    }

    /// `SPAN_KIND_SERVER = 2;`
    private mutating func readValue(_ words: inout ArraySlice<Substring>, of name: String) {
        let statement = words.prefix { $0 != ";" }
        Self.skip(&words)
        guard let number = statement.last.flatMap({ Int($0) }) else { return }
        enumerations[name, default: []].insert(number)
    }

    private static func skip(_ words: inout ArraySlice<Substring>) {
        words = words.drop { $0 != ";" }.dropFirst()
    }

    private static func camelCase(_ name: Substring) -> String {
        let parts = name.split(separator: "_")
        return parts.prefix(1).joined() + parts.dropFirst().map(\.capitalized).joined()
    }
}

extension ProtoSchema {
    /// Returns what is wrong with a message of that name; empty if it is as declared.
    package func problems(_ value: Any, _ message: String, at place: String = "") -> [String] {
        guard let fields = messages[message] else { return ["\(message) is not declared."] }
        guard let object = value as? [String: Any] else { return ["\(place) is not an object."] }
        var problems: [String] = []
        var choices: Set<String> = []
        for (name, value) in object {
            let place = "\(place).\(name)"
            guard let field = fields[name] else {
                problems.append("\(place) is not a field of \(message).")
                continue
            }
            if let choice = field.choice, !choices.insert(choice).inserted {
                problems.append("\(place) is a second \(choice).")
            }
            if field.isRepeated {
                guard let list = value as? [Any] else {
                    problems.append("\(place) is not a list.")
                    continue
                }
                for (index, value) in list.enumerated() {
                    problems += self.problems(value, field.type, name, at: "\(place)[\(index)]")
                }
            } else {
                problems += self.problems(value, field.type, name, at: place)
            }
        }
        return problems
    }

    private func problems(
        _ value: Any, _ type: String, _ name: String, at place: String
    ) -> [String] {
        let isRight: Bool
        switch type {
        case "string": isRight = value is String
        case "bool": isRight = value is Bool
        case "double": isRight = Self.number(value) != nil
        case "uint32", "fixed32", "int32":
            let number = Self.number(value) ?? -1
            isRight = number >= 0 && number < 0x1p32 && number == number.rounded()
        case "fixed64", "uint64": isRight = (value as? String).flatMap { UInt64($0) } != nil
        case "int64", "sfixed64": isRight = (value as? String).flatMap { Int64($0) } != nil
        case "bytes":
            let digits = name == "traceId" ? 32 : 16
            isRight = (value as? String)?.wholeMatch(of: /[0-9a-f]+/)?.output.count == digits
        default:
            guard let numbers = enumerations[type] else {
                return problems(value, type, at: place)
            }
            isRight = Self.number(value).map { numbers.contains(Int($0)) } ?? false
        }
        return isRight ? [] : ["\(place) is not a \(type)."]
    }

    private static func number(_ value: Any) -> Double? {
        value is String ? nil : (value as? NSNumber)?.doubleValue
    }
}
