package import Fetch

/// A URL from a source's response that is safe to use: https, no user-info, no unusual port, a
/// known host.
///
/// Older records of a source may say `http:` where newer ones say `https:` for the same picture. An
/// http URL is therefore upgraded, so that one picture keeps one key. Hosts that an operator's description names
/// with http:// stay as they are.
package struct CheckedURL: Sendable, Hashable {
    /// The URL as given, except for the scheme and an explicit default port.
    package let text: String
    /// The host name in lower case, without a port.
    package let host: String

    /// Returns `nil` if the URL is not absolute http(s), or if its host is not among `hosts`.
    ///
    /// - Parameter plain: hosts whose http URLs stay http, in lower case, with their port if it is not 80.
    package init?(_ given: String, hosts: [HostPattern], plain: Set<String> = []) {
        // Different parsers read spaces, controls, backslashes and non-ASCII differently.
        guard given.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }),
            let colon = given.firstRange(of: "://")
        else { return nil }
        let defaultPort: String
        switch given[..<colon.lowerBound].lowercased() {
        case "https": defaultPort = ":443"
        case "http": defaultPort = ":80"
        default: return nil
        }
        let rest = given[colon.upperBound...]
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        var place = rest[..<end].lowercased()
        if place.hasSuffix(defaultPort) { place.removeLast(defaultPort.count) }
        let isPlain = defaultPort == ":80" && plain.contains(place)
        let host = isPlain ? String(place.prefix { $0 != ":" }) : place
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte),
            hosts.contains(where: { $0.matches(host) })
        else { return nil }
        self.host = host
        text = "\(isPlain ? "http" : "https")://\(place)\(rest[end...])"
    }

    /// Returns the URL with `query` joined to its own. The URL of an API call has no fragment.
    package func text(adding query: String?) -> String {
        guard let query else { return text }
        return text + (text.contains("?") ? "&" : "?") + query
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
