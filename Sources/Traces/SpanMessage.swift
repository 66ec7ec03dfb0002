import JSON

/// OTLP's `ExportTraceServiceRequest` in its JSON form: identifiers in hexadecimal digits, 64-bit numbers as
/// text, enumerations as numbers (opentelemetry-proto, docs/specification.md).
package struct SpanMessage {
    private let json: JSON

    /// - Parameters:
    ///   - resource: attributes of this process.
    ///   - version: of the program.
    package init(_ spans: [SpanRecord], of resource: [String: SpanValue], version: String) {
        let scope: JSON = ["name": "vitrine", "version": .text(version)]
        json = [
            "resourceSpans": [
                [
                    "resource": ["attributes": Self.list(resource)],
                    "scopeSpans": [["scope": scope, "spans": .list(spans.map(Self.item))]],
                ]
            ]
        ]
    }

    /// The text, in UTF-8.
    package var bytes: [UInt8] { json.sortedBytes }

    private static func item(_ span: SpanRecord) -> JSON {
        var attributes = span.attributes
        if let error = span.error { attributes["error.type"] = .text(error.type) }
        var item =
            place(of: span.context, isRemote: span.hasRemoteParent) + [
                "name": .text(span.name), "kind": .integer(span.kind.rawValue),
                "startTimeUnixNano": "\(span.start)", "endTimeUnixNano": "\(span.end)",
                "attributes": list(attributes),
            ]
        item.add("parentSpanId", span.parent.map { .text(TraceContext.text($0)) })
        if !span.links.isEmpty {
            item.add("links", .list(span.links.map { place(of: $0, isRemote: false) }))
        }
        // `STATUS_CODE_ERROR`.
        item.add("status", span.error.map { ["code": 2, "message": .text($0.message)] })
        return item
    }

    /// Returns where a span is in its trace. The flags are OTLP's `SpanFlags`: W3C's in the low byte, then
    /// whether the parent's place is known, and whether it is another process.
    private static func place(of span: TraceContext, isRemote: Bool) -> JSON {
        let flags = (span.isSampled ? 1 : 0) | 0x100 | (isRemote ? 0x200 : 0)
        var place: JSON = [
            "traceId": .text(span.traceID), "spanId": .text(span.spanID), "flags": .integer(flags),
        ]
        if !span.state.isEmpty { place.add("traceState", .text(span.state)) }
        return place
    }

    /// Returns attributes with their values under the names of their types. Numbers are texts, too.
    private static func list(_ attributes: [String: SpanValue]) -> JSON {
        .list(
            attributes.sorted { $0.key < $1.key }.map { key, value in
                switch value {
                case .text(let text): ["key": .text(key), "value": ["stringValue": .text(text)]]
                case .number(let number): ["key": .text(key), "value": ["intValue": "\(number)"]]
                }
            })
    }
}
