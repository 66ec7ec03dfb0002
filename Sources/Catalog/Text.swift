extension String {
    /// Without white space at either end.
    var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }

    /// `nil` where there is nothing.
    var nonEmpty: String? { isEmpty ? nil : self }

    /// Short enough to be quoted in a sentence.
    var shortened: String {
        count <= 40 ? self : prefix(39) + "…"
    }

    /// All but RFC 3986's unreserved characters percent-encoded.
    var percentEncoded: String {
        utf8.reduce(into: "") { text, byte in
            let scalar = Unicode.Scalar(byte)
            if scalar.isASCII,
                scalar.properties.isAlphabetic || "0123456789-._~".contains(Character(scalar))
            {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
    }
}
