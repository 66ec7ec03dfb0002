import HTTP
import HTTPTypes

/// Identifies a request in logs and responses: by the client's `X-Request-Id` or a generated id,
/// and by its trace (W3C Trace Context).
struct RequestIdentity: Sendable, Equatable {
    let id: String
    /// The trace id of 32 hexadecimal digits; `nil` without a valid `traceparent`.
    let trace: String?

    init(id: String) {
        self.id = id
        trace = nil
    }

    init(_ fields: HTTPFields) {
        let given = fields[.xRequestID].flatMap { RequestID.isUsable($0.utf8) ? $0 : nil }
        id = given ?? Self.made()
        trace = fields[.traceParent].flatMap(Self.trace)
    }

    /// Returns 16 hexadecimal digits, enough to find a request in a day's log.
    private static func made() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns the trace id of `version-trace-parent-flags`; `nil` if it is malformed or all zeros.
    private static func trace(_ field: String) -> String? {
        let parts = field.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].count == 2, parts[0] != "ff", parts[1].count == 32,
            parts[2].count == 16, parts[3].count == 2,
            parts.prefix(4).allSatisfy({ $0.utf8.allSatisfy(isHexDigit) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        return String(parts[1])
    }

    /// Returns whether the byte is a lower-case hexadecimal digit, as the specification requires.
    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
