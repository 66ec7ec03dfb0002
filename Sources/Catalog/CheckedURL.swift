package import Fetch

/// A URL out of a source's answer that may be used: https, no user-info, no odd port, a known host.
///
/// Sources' older records say `http:` where newer ones say `https:` for the same picture, so http is
/// upgraded: one picture keeps one key.
package struct CheckedURL: Sendable, Hashable {
    /// As given, but for the scheme and a written-out default port.
    package let text: String
    package let host: String

    /// `nil` where the URL is not absolute http(s), or leads to a host outside `hosts`.
    package init?(_ given: String, hosts: [HostPattern]) {
        // Space, controls, backslash and non-ASCII are read differently by different parsers.
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
        var host = rest[..<end].lowercased()
        if host.hasSuffix(defaultPort) { host.removeLast(defaultPort.count) }
        guard !host.isEmpty, host.utf8.allSatisfy(Self.isHostByte),
            hosts.contains(where: { $0.matches(host) })
        else { return nil }
        self.host = host
        text = "https://\(host)\(rest[end...])"
    }

    /// With `query` joined to its own; the URL of an API call has no fragment.
    func text(adding query: String?) -> String {
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
