/// URLs as people write them. Pure.
///
/// Source: url.spec.whatwg.org, the percent-encode sets of path and query.
package enum BrowserURL {
    /// Returns the URL with blanks, characters that are not ASCII, and others that a URL can't contain
    /// percent-encoded as browsers do. Percent-encoded parts stay. Returns nil if the host name is not
    /// ASCII.
    package static func encoded(_ text: String) -> String? {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let hostEnd = rest.firstIndex { "/?#\\".contains($0) } ?? rest.endIndex
        guard rest[..<hostEnd].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        var url = String(text[..<hostEnd])
        var isQuery = false
        for byte in rest[hostEnd...].utf8 {
            // A fragment is not sent.
            if byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "?") { isQuery = true }
            switch byte {
            case UInt8(ascii: "\\") where !isQuery: url += "/"
            case let byte where isEncoded(byte, isQuery): url += percent(byte)
            default: url.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return url
    }

    private static func isEncoded(_ byte: UInt8, _ isQuery: Bool) -> Bool {
        switch byte {
        case ...0x20, 0x7f...: true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        case UInt8(ascii: "'"): isQuery
        case UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "^"): !isQuery
        default: false
        }
    }

    private static func percent(_ byte: UInt8) -> String {
        let digits = Array("0123456789ABCDEF")
        return "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
}
