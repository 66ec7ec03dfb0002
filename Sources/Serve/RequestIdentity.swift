import HTTP
import HTTPTypes
import Traces

/// Identifies a request in logs and responses: by the client's `X-Request-Id` or a generated id,
/// and by its trace (W3C Trace Context).
struct RequestIdentity: Sendable, Equatable {
    let id: String
    /// The client's span; nil without a valid `traceparent`.
    let context: TraceContext?
    /// The trace id of 32 hexadecimal digits: the client's or, of a traced request without one, its own.
    var trace: String?

    init(id: String) {
        self.id = id
        context = nil
    }

    init(_ fields: HTTPFields) {
        let given = fields[.xRequestID].flatMap { RequestID.isUsable($0.utf8) ? $0 : nil }
        id = given ?? RequestID.random
        context = fields[.traceParent].flatMap {
            TraceContext(parent: $0, state: fields[.traceState])
        }
        trace = context?.traceID
    }
}
