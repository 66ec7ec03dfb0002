/// A span that has ended.
package struct SpanRecord: Sendable, Equatable {
    /// OTLP's `Span.SpanKind`.
    package enum Kind: Int, Sendable {
        case `internal` = 1
        case server = 2
        case client = 3
    }

    package var context: TraceContext
    /// Nil for the first span of a trace.
    var parent: UInt64?
    /// Whether another process made the parent.
    var hasRemoteParent: Bool
    package var name: String
    package var kind: Kind
    /// Nanoseconds since 1970, not before ``start``.
    package var start: UInt64
    package var end: UInt64
    package var attributes: [String: SpanValue]
    package var error: SpanError?
    /// Spans of this process, perhaps of other traces, on which this one waited.
    package var links: [TraceContext]
}
