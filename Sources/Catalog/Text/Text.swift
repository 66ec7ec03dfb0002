import Hashing

extension String {
    /// The first `://`, or nil if there is none.
    package var schemeMark: Range<Index>? {
        var rest = utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[colon...].dropFirst()
            if rest.starts(with: Self.slashes) {
                return colon..<rest.index(rest.startIndex, offsetBy: 2)
            }
        }
        return nil
    }

    private static let slashes = [UInt8(ascii: "/"), UInt8(ascii: "/")]

    /// The text without white space at its ends.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    /// `nil` if the text is empty.
    var nonEmpty: String? { isEmpty ? nil : self }

    /// The text cut to 40 characters, for quoting in a message.
    var shortened: String {
        count <= 40 ? self : prefix(39) + "…"
    }

    /// The text with all characters percent-encoded except RFC 3986's unreserved ones.
    var percentEncoded: String { PercentCoding.encoded(self) }
}

extension Sequence<String> {
    /// `a, b or c`.
    package func listed(by conjunction: String) -> String {
        let words = Array(self)
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }
}
