import Hashing

/// The place of a span in its trace, as clients and origins exchange it (W3C Trace Context, Level 1).
package struct TraceContext: Sendable, Equatable {
    /// 128 bits, not all zero.
    struct TraceID: Sendable, Equatable {
        var high: UInt64
        var low: UInt64

        static func random() -> TraceID {
            TraceID(high: .random(in: .min ... .max), low: .random(in: 1 ... .max))
        }
    }

    let trace: TraceID
    /// Not zero.
    let span: UInt64
    /// Whether the spans of the trace are kept.
    package let isSampled: Bool
    /// `tracestate`, which is handed on unchanged; empty without any.
    let state: String

    /// 32 hexadecimal digits.
    package var traceID: String { Self.text(trace.high) + Self.text(trace.low) }
    /// 16 hexadecimal digits.
    package var spanID: String { Self.text(span) }

    init(trace: TraceID, span: UInt64, isSampled: Bool, state: String) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.state = state
    }

    /// Reads `traceparent` and `tracestate`. Returns nil if the first is malformed.
    package init?(parent: String, state: String? = nil) {
        let parts = parent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, let version = Self.bytes(parts[0], 1)?[0], version != 0xff,
            version > 0 || parts.count == 4, let trace = Self.bytes(parts[1], 16),
            let span = Self.bytes(parts[2], 8), let flags = Self.bytes(parts[3], 1)?[0]
        else { return nil }
        self.trace = TraceID(high: Self.number(trace[..<8]), low: Self.number(trace[8...]))
        self.span = Self.number(span[...])
        guard self.trace != TraceID(high: 0, low: 0), self.span != 0 else { return nil }
        isSampled = flags & 1 != 0
        self.state = state.flatMap { Self.isUsable($0) ? $0 : nil } ?? ""
    }

    /// The value of `traceparent` for a request that this span makes.
    package var parent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// Returns a new span of the same trace.
    func child() -> TraceContext {
        TraceContext(
            trace: trace, span: .random(in: 1 ... .max), isSampled: isSampled, state: state)
    }

    /// What every system has to hand on (section 3.3.1.5).
    private static let maxStateBytes = 512

    private static func isUsable(_ state: String) -> Bool {
        state.utf8.count <= maxStateBytes && state.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }

    /// Returns that many bytes; nil for other text. Digits are in lower case, as the specification requires.
    private static func bytes(_ text: Substring, _ count: Int) -> [UInt8]? {
        Hex.bytes(text).flatMap { $0.count == count ? $0 : nil }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns 16 hexadecimal digits.
    static func text(_ number: UInt64) -> String {
        withUnsafeBytes(of: number.bigEndian) { Hex.text($0) }
    }
}
