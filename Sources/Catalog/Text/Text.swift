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
    package var trimmed: String {
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

extension Array {
    /// Returns the elements in the order of their numbers, those without one last. Equal ones keep their order.
    func ordered(by number: (Element) -> Int?) -> [Element] {
        // The offset keeps equal elements in order, because `sort` is not guaranteed to be stable.
        enumerated()
            .map { (number: number($1) ?? .max, offset: $0, element: $1) }
            .sorted { ($0.number, $0.offset) < ($1.number, $1.offset) }
            .map(\.element)
    }
}
