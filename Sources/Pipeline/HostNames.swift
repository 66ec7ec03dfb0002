import Catalog
import Synchronization

/// Labels of hosts in metrics. Only the first hosts get their names, so that signed URLs can't
/// create any number of series.
final class HostNames: Sendable {
    private static let most = 64
    /// RFC 1035, section 2.3.4.
    private static let maxLength = 253
    static let other = "other"

    private let names = Mutex<Set<String>>([])

    /// Returns the label of a URL's host, and registers the host if there is room.
    func name(of url: String) -> String {
        guard let host = Self.host(of: url), host.utf8.count <= Self.maxLength else {
            return Self.other
        }
        return names.withLock { names in
            if names.count < Self.most { names.insert(host) }
            return names.contains(host) ? host : Self.other
        }
    }

    /// Returns the label of a host without registering it. Hosts of redirects get no labels of
    /// their own.
    func known(_ host: String) -> String {
        let host = host.lowercased()
        return names.withLock { $0.contains(host) } ? host : Self.other
    }

    /// Returns a URL's host in lower case, without port and final dot. Returns nil if the URL has
    /// no host or contains user-info.
    static func host(of url: String) -> String? {
        guard let start = url.schemeMark?.upperBound else { return nil }
        var host = url.utf8[start...].prefix { byte in
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"): false
            default: true
            }
        }
        guard !host.contains(UInt8(ascii: "@")) else { return nil }
        // The colons of an IPv6 address are in brackets.
        let tail = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        if let colon = host[tail...].firstIndex(of: UInt8(ascii: ":")) { host = host[..<colon] }
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        return host.isEmpty ? nil : Substring(host).lowercased()
    }
}

extension Source {
    /// Returns the header fields that go with a request for a picture, to the host of its URL only.
    func fields(forPicture url: String) -> [RequestField] {
        HostNames.host(of: url).map(fields(forHost:)) ?? []
    }
}
