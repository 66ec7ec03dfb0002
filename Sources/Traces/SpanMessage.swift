import FoundationEssentials

/// OTLP's `ExportTraceServiceRequest` in its JSON form: identifiers in hexadecimal digits, 64-bit numbers as
/// text, enumerations as numbers (opentelemetry-proto, docs/specification.md).
package struct SpanMessage: Encodable {
    private let resourceSpans: [ResourceSpans]

    /// - Parameters:
    ///   - resource: attributes of this process.
    ///   - version: of the program.
    package init(_ spans: [SpanRecord], of resource: [String: SpanValue], version: String) {
        resourceSpans = [
            ResourceSpans(
                resource: ["attributes": Attribute.list(resource)],
                scopeSpans: [
                    ScopeSpans(
                        scope: ["name": "vitrine", "version": version], spans: spans.map(Item.init))
                ])
        ]
    }

    /// The text, in UTF-8.
    package var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
            return Array(try encoder.encode(self))
        }
    }

    private struct ResourceSpans: Encodable {
        var resource: [String: [Attribute]]
        var scopeSpans: [ScopeSpans]
    }

    private struct ScopeSpans: Encodable {
        var scope: [String: String]
        var spans: [Item]
    }

    private struct Attribute: Encodable {
        var key: String
        /// Under the name of its type. Numbers are texts, too.
        var value: [String: String]

        static func list(_ attributes: [String: SpanValue]) -> [Attribute] {
            attributes.sorted { $0.key < $1.key }.map { key, value in
                switch value {
                case .text(let text): Attribute(key: key, value: ["stringValue": text])
                case .number(let number): Attribute(key: key, value: ["intValue": "\(number)"])
                }
            }
        }
    }

    private struct Status: Encodable {
        /// `STATUS_CODE_ERROR`.
        var code = 2
        var message: String
    }

    private struct Link: Encodable {
        var traceId: String
        var spanId: String
        var traceState: String?
        var flags: Int

        init(_ context: TraceContext) {
            traceId = context.traceID
            spanId = context.spanID
            traceState = context.state.isEmpty ? nil : context.state
            flags = Item.flags(context, isRemote: false)
        }
    }

    private struct Item: Encodable {
        var traceId: String
        var spanId: String
        var traceState: String?
        var parentSpanId: String?
        var flags: Int
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var links: [Link]?
        var status: Status?

        init(_ span: SpanRecord) {
            let context = span.context
            traceId = context.traceID
            spanId = context.spanID
            traceState = context.state.isEmpty ? nil : context.state
            parentSpanId = span.parent.map(TraceContext.text)
            flags = Self.flags(context, isRemote: span.hasRemoteParent)
            name = span.name
            kind = span.kind.rawValue
            startTimeUnixNano = "\(span.start)"
            endTimeUnixNano = "\(span.end)"
            var attributes = span.attributes
            if let error = span.error { attributes["error.type"] = .text(error.type) }
            self.attributes = Attribute.list(attributes)
            links = span.links.isEmpty ? nil : span.links.map(Link.init)
            status = span.error.map { Status(message: $0.message) }
        }

        /// Returns OTLP's `SpanFlags`: W3C's in the low byte, then whether the parent's place is known, and
        /// whether it is another process.
        static func flags(_ context: TraceContext, isRemote: Bool) -> Int {
            (context.isSampled ? 1 : 0) | 0x100 | (isRemote ? 0x200 : 0)
        }
    }
}
