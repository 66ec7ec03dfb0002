import Foundation

/// The messages of spans in OTLP's JSON form, as OpenTelemetry's schema declares them (opentelemetry-proto 1.x): names in
/// camel case, identifiers in hexadecimal digits, 64-bit numbers as text, enumerations as numbers.
package enum SpanSchema {
    /// Fields and their types by message. A list's type is in brackets.
    private static let messages: [String: [String: String]] = [
        "ExportTraceServiceRequest": ["resourceSpans": "[ResourceSpans]"],
        "ResourceSpans": [
            "resource": "Resource", "scopeSpans": "[ScopeSpans]", "schemaUrl": "string",
        ],
        "Resource": ["attributes": "[KeyValue]", "droppedAttributesCount": "uint32"],
        "ScopeSpans": [
            "scope": "InstrumentationScope", "spans": "[Span]", "schemaUrl": "string",
        ],
        "InstrumentationScope": [
            "name": "string", "version": "string", "attributes": "[KeyValue]",
            "droppedAttributesCount": "uint32",
        ],
        "Span": [
            "traceId": "16 bytes", "spanId": "8 bytes", "parentSpanId": "8 bytes",
            "traceState": "string", "flags": "uint32", "name": "string", "kind": "SpanKind",
            "startTimeUnixNano": "uint64", "endTimeUnixNano": "uint64",
            "attributes": "[KeyValue]", "droppedAttributesCount": "uint32",
            "events": "[Event]", "droppedEventsCount": "uint32",
            "links": "[Link]", "droppedLinksCount": "uint32", "status": "Status",
        ],
        "Event": [
            "timeUnixNano": "uint64", "name": "string", "attributes": "[KeyValue]",
            "droppedAttributesCount": "uint32",
        ],
        "Link": [
            "traceId": "16 bytes", "spanId": "8 bytes", "traceState": "string",
            "attributes": "[KeyValue]", "droppedAttributesCount": "uint32", "flags": "uint32",
        ],
        "Status": ["message": "string", "code": "StatusCode"],
        "KeyValue": ["key": "string", "value": "AnyValue"],
        "AnyValue": [
            "stringValue": "string", "boolValue": "bool", "intValue": "int64",
            "doubleValue": "double", "arrayValue": "ArrayValue", "kvlistValue": "KeyValueList",
            "bytesValue": "string",
        ],
        "ArrayValue": ["values": "[AnyValue]"],
        "KeyValueList": ["values": "[KeyValue]"],
    ]

    /// The least and the greatest number of an enumeration.
    private static let enumerations = ["SpanKind": 0.0...5, "StatusCode": 0.0...2]

    /// Returns what is wrong with a message of that name; empty if it is as declared.
    package static func problems(_ value: Any, _ message: String, at place: String = "") -> [String]
    {
        guard let fields = messages[message] else { return ["\(message) is not declared."] }
        guard let object = value as? [String: Any] else { return ["\(place) is not an object."] }
        var problems: [String] = []
        if message == "AnyValue", object.count != 1 {
            problems.append("\(place) has not one value.")
        }
        for (name, value) in object {
            let place = "\(place).\(name)"
            guard let type = fields[name] else {
                problems.append("\(place) is not a field of \(message).")
                continue
            }
            guard type.hasPrefix("[") else {
                problems += self.problems(value, type: type, at: place)
                continue
            }
            guard let list = value as? [Any] else {
                problems.append("\(place) is not a list.")
                continue
            }
            for (index, value) in list.enumerated() {
                problems += self.problems(
                    value, type: String(type.dropFirst().dropLast()), at: "\(place)[\(index)]")
            }
        }
        return problems
    }

    private static func problems(_ value: Any, type: String, at place: String) -> [String] {
        let number = value is String ? nil : (value as? NSNumber)?.doubleValue
        let text = value as? String
        let isRight: Bool
        switch type {
        case "string": isRight = text != nil
        case "bool": isRight = value is Bool
        case "double": isRight = number != nil
        case "uint32": isRight = number.map { $0 == Double(UInt32(exactly: $0) ?? 0) } ?? false
        case "uint64": isRight = text.flatMap { UInt64($0) } != nil
        case "int64": isRight = text.flatMap { Int64($0) } != nil
        case "16 bytes": isRight = text?.wholeMatch(of: /[0-9a-f]{32}/) != nil
        case "8 bytes": isRight = text?.wholeMatch(of: /[0-9a-f]{16}/) != nil
        default:
            guard let range = enumerations[type] else {
                return problems(value, type, at: place)
            }
            isRight = number.map { range.contains($0) && $0 == $0.rounded() } ?? false
        }
        return isRight ? [] : ["\(place) is not a \(type)."]
    }
}
