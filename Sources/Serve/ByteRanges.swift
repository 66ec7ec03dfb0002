import HTTP

/// Byte ranges of a request (RFC 9110, section 14). Pure.
enum ByteRanges: Sendable, Equatable {
    /// The request has no valid range, so the whole representation is sent.
    case whole
    /// No range is within the representation.
    case unsatisfiable
    /// The ranges in the requested order; never empty.
    case parts([Range<Int>])

    /// More ranges than this are an attack or a mistake. Section 14.2 lets a server ignore such a
    /// field.
    static let limit = 16

    /// Parses the value of `Range`. A malformed field is ignored, as the RFC requires.
    ///
    /// - Parameter length: bytes of the whole representation.
    init(_ field: String?, length: Int) {
        guard let field, let equals = field.firstIndex(of: "="),
            field[..<equals].lowercased() == "bytes"
        else {
            self = .whole
            return
        }
        let specifications = field[field.index(after: equals)...].split(separator: ",")
        guard !specifications.isEmpty, specifications.count <= Self.limit else {
            self = .whole
            return
        }
        var parts: [Range<Int>] = []
        for specification in specifications {
            let text = specification.utf8.filter { !" \t".utf8.contains($0) }
            switch text.withUnsafeBytes({ ByteRange($0, length: length) }) {
            case .malformed:
                self = .whole
                return
            case .outside: continue
            case .within(let range): parts.append(range)
            }
        }
        // Overlapping parts would send more bytes than the whole, so the whole is sent instead.
        let total = parts.reduce(0) { $0 + $1.count }
        if parts.isEmpty {
            self = .unsatisfiable
        } else {
            self = total > length ? .whole : .parts(parts)
        }
    }
}
