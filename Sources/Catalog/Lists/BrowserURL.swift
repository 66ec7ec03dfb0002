import Hashing

/// URLs as people write them. Pure.
///
/// Source: url.spec.whatwg.org, the percent-encode sets of path and query.
package enum BrowserURL {
    /// Returns the URL with blanks, characters that are not ASCII, and others that a URL can't contain
    /// percent-encoded as browsers do. Percent-encoded parts stay. Returns nil if the host name is not
    /// ASCII.
    package static func encoded(_ text: String) -> String? {
        guard let scheme = text.schemeMark else { return text }
        let rest = text.utf8[scheme.upperBound...]
        let hostEnd = rest.firstIndex(where: isHostEnd) ?? rest.endIndex
        guard rest[..<hostEnd].allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        var url = Array(text.utf8[..<hostEnd])
        url.reserveCapacity(text.utf8.count)
        var isQuery = false
        for byte in rest[hostEnd...] {
            // A fragment is not sent.
            if byte == UInt8(ascii: "#") { break }
            if byte == UInt8(ascii: "?") { isQuery = true }
            switch byte {
            case UInt8(ascii: "\\") where !isQuery: url.append(UInt8(ascii: "/"))
            case let byte where isEncoded(byte, isQuery): PercentCoding.append(byte, to: &url)
            default: url.append(byte)
            }
        }
        return String(decoding: url, as: UTF8.self)
    }

    private static func isHostEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): true
        default: false
        }
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
}
