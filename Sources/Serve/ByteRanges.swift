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
            switch Self.range(specification.filter { $0 != " " && $0 != "\t" }, length) {
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

    private enum One {
        case malformed, outside
        case within(Range<Int>)
    }

    private static func range(_ text: String, _ length: Int) -> One {
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .malformed }
        switch (number(ends[0]), number(ends[1])) {
        case (.some(let first), .some(let last)):
            guard let first, let last else {
                return suffix(first: first, last: last, length)
            }
            guard first <= last else { return .malformed }
            return first < length ? .within(first..<min(last + 1, length)) : .outside
        default: return .malformed
        }
    }

    /// Returns the range of `500-` or `-500`.
    private static func suffix(first: Int?, last: Int?, _ length: Int) -> One {
        if let first { return first < length ? .within(first..<length) : .outside }
        guard let last else { return .malformed }
        return last > 0 && length > 0 ? .within(max(0, length - last)..<length) : .outside
    }

    /// Returns a bound. The outer `nil` means malformed, the inner `nil` empty. A bound beyond the
    /// largest `Int` is clamped.
    private static func number(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return .some(min(Int(text) ?? .max, Int.max - 1))
    }
}
