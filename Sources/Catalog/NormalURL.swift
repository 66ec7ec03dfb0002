import Fetch
import Hashing

/// A URL in its normal form: the one rule for URLs in lists, in answers of sources, on the command line and in
/// paths of requests. `docs/signing.md` has it for programs that sign.
///
/// It takes what browsers take, and percent-encodes all that RFC 3986 doesn't allow. Escapes stay as they are.
/// Of a URL that RFC 3986 allows, only the case of scheme and host changes. The normal form of a normal form
/// is the same. Pure.
package struct NormalURL: Sendable, Hashable {
    /// `http` or `https`.
    let scheme: String
    /// Host, with user-info and port if they are given, in lower case and ASCII.
    let authority: String
    /// Path and query, as they are sent; empty if both are missing.
    let target: String
    /// With its `#`; empty if it is missing.
    let fragment: String

    /// The URL without its fragment, which is never sent.
    package var text: String { "\(scheme)://\(authority)\(target.isEmpty ? "/" : target)" }

    /// Why a text has no normal form.
    package enum Refusal: Error, Equatable {
        case notAbsolute
        case noHost
        /// A character that no host name has.
        case badHost(Character)
        /// The host name has letters beyond ASCII, and no form without them.
        case noASCIIHost

        /// The end of a sentence about the URL.
        package var phrase: String {
            switch self {
            case .notAbsolute: "is not an absolute http or https URL"
            case .noHost: "names no host"
            case .badHost(" "): "has a blank in its host name"
            case .badHost(let character) where character.isASCIIControl:
                "has a control character in its host name"
            case .badHost(let character): "has “\(character)” in its host name"
            case .noASCIIHost: "has a host name that has no ASCII form; write it as xn--…"
            }
        }
    }

    /// - Parameter isTemplate: whether braces are places for values, and stay.
    package init(_ given: String, isTemplate: Bool = false) throws(Refusal) {
        let text = Self.withoutBlanks(given)
        guard let mark = text.schemeMark else { throw .notAbsolute }
        scheme = text[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .notAbsolute }
        let rest = text.utf8[mark.upperBound...]
        let end = rest.firstIndex(where: Self.endsAuthority) ?? rest.endIndex
        authority = try Self.authority(rest[..<end])
        var parts = Parts(rest[end...])
        let path = parts.next(.path, isTemplate)
        target = path + parts.next(.query, isTemplate)
        fragment = parts.next(.fragment, isTemplate)
    }

    /// Returns a text as browsers read it from an attribute: without controls and spaces at its ends, and
    /// without tabs and line ends.
    private static func withoutBlanks(_ given: String) -> String {
        func isDropped(_ byte: UInt8) -> Bool { byte == 0x09 || byte == 0x0A || byte == 0x0D }
        guard given.utf8.contains(where: { $0 <= 0x20 }) else { return given }
        guard let first = given.utf8.firstIndex(where: { $0 > 0x20 }),
            let last = given.utf8.lastIndex(where: { $0 > 0x20 })
        else { return "" }
        return String(decoding: given.utf8[first...last].filter { !isDropped($0) }, as: UTF8.self)
    }

    // MARK: - Authority

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): true
        default: false
        }
    }

    private static func authority(_ given: Substring.UTF8View) throws(Refusal) -> String {
        let at = given.lastIndex(of: UInt8(ascii: "@"))
        let place = given[(at.map(given.index(after:)) ?? given.startIndex)...]
        // The fetcher refuses user-info, which it knows by the @ behind it.
        let user = at.map { Part.user.encoded(given[..<$0]).lowercased() + "@" } ?? ""
        // The colons of an IPv6 address are in brackets.
        if place.first == UInt8(ascii: "[") {
            try check(place.dropFirst().filter { $0 != UInt8(ascii: "]") })
            return user + Substring(place).lowercased()
        }
        let colon = place.lastIndex(of: UInt8(ascii: ":")) ?? place.endIndex
        guard colon > place.startIndex else { throw .noHost }
        try checkEscapes(place)
        try check(place[colon...].filter { $0 != UInt8(ascii: ":") })
        let name = Substring(place[..<colon])
        if name.utf8.allSatisfy({ $0 < 0x80 }) {
            try check(name.utf8)
            return user + Substring(place).lowercased()
        }
        try check(name.utf8.filter { $0 < 0x80 })
        guard let name = HostName.ascii(String(name)) else { throw .noASCIIHost }
        return user + name + String(Substring(place[colon...]))
    }

    /// Source: url.spec.whatwg.org, forbidden host code points.
    private static func check(_ host: some Sequence<UInt8>) throws(Refusal) {
        for byte in host {
            if byte >= 0x80 { throw .noASCIIHost }
            if byte <= 0x20 || byte == 0x7F || forbidden.contains(byte) {
                throw .badHost(Character(Unicode.Scalar(byte)))
            }
        }
    }

    private static let forbidden = Array("\"<>[]^`{|}".utf8)

    /// A host may have escapes (RFC 3986, section 3.2.2), but no other percent sign.
    private static func checkEscapes(_ host: Substring.UTF8View) throws(Refusal) {
        var rest = host
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[percent...].dropFirst()
            guard Part.isEscape(rest) else { throw .badHost("%") }
        }
    }
}

/// What is left of a URL behind its authority.
private struct Parts {
    private var rest: Substring.UTF8View

    init(_ rest: Substring.UTF8View) { self.rest = rest }

    /// Takes the next part.
    mutating func next(_ part: Part, _ isTemplate: Bool) -> String {
        // The mark that begins a query or a fragment is part of it.
        guard let first = rest.first, part == .path || first == part.mark else { return "" }
        let begin = part == .path ? rest.startIndex : rest.index(after: rest.startIndex)
        let end = rest[begin...].firstIndex(where: part.ends) ?? rest.endIndex
        defer { rest = rest[end...] }
        let mark = part == .path ? "" : String(UnicodeScalar(first))
        return mark + part.encoded(rest[begin..<end], isTemplate)
    }
}

/// Parts of a URL differ in the characters that they may have (RFC 3986, section 3).
private enum Part {
    case user, path, query, fragment

    /// The character that begins it.
    var mark: UInt8 {
        switch self {
        case .user, .path: UInt8(ascii: "/")
        case .query: UInt8(ascii: "?")
        case .fragment: UInt8(ascii: "#")
        }
    }

    /// Whether a character begins a later part.
    func ends(_ byte: UInt8) -> Bool {
        switch self {
        case .user: byte == UInt8(ascii: "@")
        case .path: byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
        case .query: byte == UInt8(ascii: "#")
        case .fragment: false
        }
    }

    private func allows(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"): self != .user
        case UInt8(ascii: "?"): self == .query || self == .fragment
        case UInt8(ascii: "@"): self != .user
        // Sub-delimiters and the colon; letters, digits and the four marks.
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ";"),
            UInt8(ascii: "="):
            true
        default: PercentCoding.isUnreserved(byte)
        }
    }

    /// Returns the part with all that it doesn't allow percent-encoded.
    func encoded(_ given: Substring.UTF8View, _ isTemplate: Bool = false) -> String {
        if given.allSatisfy(allows) { return String(Substring(given)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(given.count + 16)
        var rest = given
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%") where Self.isEscape(rest): bytes.append(byte)
            // As in a path of Windows.
            case UInt8(ascii: "\\") where self == .path: bytes.append(UInt8(ascii: "/"))
            case UInt8(ascii: "{") where isTemplate, UInt8(ascii: "}") where isTemplate:
                bytes.append(byte)
            case let byte where allows(byte): bytes.append(byte)
            default: PercentCoding.append(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether two hexadecimal digits follow a percent sign.
    fileprivate static func isEscape(_ rest: Substring.UTF8View) -> Bool {
        let digits = rest.prefix(2)
        return digits.count == 2 && digits.allSatisfy(isHex)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}

extension Character {
    fileprivate var isASCIIControl: Bool { asciiValue.map { $0 < 0x20 || $0 == 0x7F } ?? false }
}
