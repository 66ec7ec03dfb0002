import HTTP
import HTTPTypes
import Traces

/// Identifies a request in logs and responses: by the client's `X-Request-Id` or a generated id,
/// and by its trace (W3C Trace Context).
struct RequestIdentity: Sendable, Equatable {
    let id: String
    /// The trace id of 32 hexadecimal digits: the client's or, of a traced request without one, its own.
    var trace: String?

    init(id: String) {
        self.id = id
        trace = nil
    }

    init(_ fields: HTTPFields) {
        let given = fields[.xRequestID].flatMap { RequestID.isUsable($0.utf8) ? $0 : nil }
        id = given ?? Self.made()
        trace = Self.context(fields)?.traceID
    }

    /// Returns 16 hexadecimal digits, enough to find a request in a day's log.
    private static func made() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the client's span; nil without a valid `traceparent`.
    static func context(_ fields: HTTPFields) -> TraceContext? {
        fields[.traceParent].flatMap { TraceContext(parent: $0, state: fields[.traceState]) }
    }
}
