public import Foundation

/// Why a text is not the URL of a picture.
public enum NormalURLError: Error, Sendable, Hashable {
    case notAbsolute
    case noHost
    /// A character that no host name has, or a host name without a form in ASCII.
    case badHost
}

extension NormalURLError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .notAbsolute: "This is not an absolute http or https URL."
        case .noHost: "The URL names no host."
        case .badHost: "The URL has a host name that is not one."
        }
    }
}

/// URLs as the service keeps them: two with one normal form are one picture.
///
/// It takes what browsers take, and percent-encodes all that RFC 3986 doesn't allow. Escapes stay as they are.
/// The page “Signing” has the rule.
public enum NormalURL {
    /// Returns the normal form, which is ASCII.
    public static func text(of url: String) throws(NormalURLError) -> String {
        let text = withoutBlanks(url)
        guard let mark = text.range(of: "://") else { throw .notAbsolute }
        let scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .notAbsolute }
        let rest = text[mark.upperBound...].utf8
        let end = rest.firstIndex { byte in "/?#\\".utf8.contains(byte) } ?? rest.endIndex
        let place = try host(rest[..<end])
        let bare = rest[end...].prefix { $0 != UInt8(ascii: "#") }
        let query = bare.firstIndex(of: UInt8(ascii: "?")) ?? bare.endIndex
        let path = bare[..<query].map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
        let target = escaped(path, isQuery: false) + escaped(Array(bare[query...]), isQuery: true)
        return "\(scheme)://\(place)\(target.isEmpty ? "/" : target)"
    }

    private static func withoutBlanks(_ url: String) -> String {
        let bytes = Array(url.utf8)
        guard let first = bytes.firstIndex(where: { $0 > 0x20 }),
            let last = bytes.lastIndex(where: { $0 > 0x20 })
        else { return "" }
        let kept = bytes[first...last].filter { ![0x09, 0x0A, 0x0D].contains($0) }
        return String(decoding: kept, as: UTF8.self)
    }

    // MARK: - Host

    private static func host(_ given: Substring.UTF8View) throws(NormalURLError) -> String {
        let at = given.lastIndex(of: UInt8(ascii: "@"))
        let place = given[(at.map(given.index(after:)) ?? given.startIndex)...]
        // The service refuses user-info, which it knows by the @ behind it.
        let user =
            at.map { escaped(Array(given[..<$0]), isQuery: false).lowercased() + "@" } ?? ""
        if place.first == UInt8(ascii: "[") {
            try check(place.dropFirst().filter { $0 != UInt8(ascii: "]") })
            return user + String(decoding: place, as: UTF8.self).lowercased()
        }
        let colon = place.lastIndex(of: UInt8(ascii: ":")) ?? place.endIndex
        guard colon > place.startIndex else { throw .noHost }
        let port = Array(place[colon...])
        try check(port)
        let name = String(decoding: place[..<colon], as: UTF8.self)
        try check(name.utf8.filter { $0 < 0x80 })
        let ascii = try name.utf8.allSatisfy { $0 < 0x80 } ? name.lowercased() : inASCII(name)
        return user + ascii + String(decoding: port, as: UTF8.self)
    }

    /// The system knows the ASCII form of other letters: `bücher.example` is `xn--bcher-kva.example`.
    private static func inASCII(_ name: String) throws(NormalURLError) -> String {
        var parts = URLComponents()
        (parts.scheme, parts.host) = ("http", name)
        guard let host = parts.url?.host?.lowercased(), host.utf8.allSatisfy({ $0 < 0x80 }),
            !host.contains("%")
        else { throw .badHost }
        return host
    }

    /// Source: url.spec.whatwg.org, forbidden host code points.
    private static func check(_ host: [UInt8]) throws(NormalURLError) {
        for (at, byte) in host.enumerated() {
            let isEscape = byte != UInt8(ascii: "%") || isEscape(host[(at + 1)...])
            guard byte > 0x20, byte < 0x7F, !"\"<>[]^`{|}".utf8.contains(byte), isEscape else {
                throw .badHost
            }
        }
    }

    private static func check(_ host: some Sequence<UInt8>) throws(NormalURLError) {
        try check(Array(host))
    }

    // MARK: - Characters

    private static func escaped(_ bytes: [UInt8], isQuery: Bool) -> String {
        var text: [UInt8] = []
        for (at, byte) in bytes.enumerated() {
            if allows(byte, isQuery) || byte == UInt8(ascii: "%") && isEscape(bytes[(at + 1)...]) {
                text.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func allows(_ byte: UInt8, _ isQuery: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "?"): isQuery
        default: "-._~!$&'()*+,;=:@/".utf8.contains(byte)
        }
    }

    /// Whether two hexadecimal digits follow a percent sign.
    private static func isEscape(_ rest: ArraySlice<UInt8>) -> Bool {
        let digits = rest.prefix(2)
        return digits.count == 2
            && digits.allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
    }
}
