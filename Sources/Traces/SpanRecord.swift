/// The value of a span's attribute.
package enum SpanValue: Sendable, Equatable {
    case text(String)
    case number(Int)
}

extension SpanValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int) { self = .number(number) }
}

/// Why a span's work failed.
package struct SpanError: Sendable, Equatable {
    /// One of few words, for `error.type`.
    package var type: String
    /// A sentence for people, without secrets; empty without any.
    package var message: String

    package init(type: String, message: String = "") {
        self.type = type
        self.message = message
    }
}

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
