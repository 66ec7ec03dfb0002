import FoundationEssentials
import HTTP

/// The names of the service by which pages may use private routes. Pure.
///
/// Another site can resolve its own name to this machine (DNS rebinding), so that a browser takes
/// this service for that site. Addresses and `localhost` can't be misused like this.
struct TrustedHosts: Sendable, Equatable {
    private let named: Set<String>
    private let own: String

    /// - Parameters: `host` is the address that the service listens on, `names` are configured.
    init(host: String, names: [String]) {
        named = Set(names.map(Self.canonical))
        own = Self.canonical(host)
    }

    /// Returns whether a request with that `Host` can be meant for this service. Requests of
    /// browsers always have the field.
    func allows(authority: String?) -> Bool {
        guard let authority else { return true }
        guard let host = Self.split(authority)?.host else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || Self.isAddress(host)
            || host == own || named.contains(host)
    }

    /// Returns whether a `Host` is the very address at which clients of this machine reach a port: a name of
    /// the machine itself, with that port.
    ///
    /// - Parameters:
    ///   - port: nil if it is not known before the service listens. It is then not a standard port.
    ///   - standardPort: that of a `Host` without one.
    static func isLocal(_ authority: String?, port: Int?, standardPort: Int) -> Bool {
        guard let (host, given) = authority.flatMap(split), isLoopback(host) else { return false }
        let asked = given.map { Int($0) } ?? standardPort
        return port.map { $0 == asked } ?? (given != nil && asked != nil)
    }

    /// Returns the configured name that a `Host` is, in lower case; nil for any other. Another port than the
    /// standard one is not a part of the name, so nothing is known of it.
    func known(_ authority: String?, standardPort: Int) -> String? {
        guard let (host, port) = authority.flatMap(Self.split), named.contains(host),
            port.map({ Int($0) == standardPort }) ?? true
        else { return nil }
        return host
    }

    /// Returns whether a page of that `Origin` belongs to this service: it has the same host and
    /// port, or a configured name.
    func allows(origin: String, authority: String?) -> Bool {
        guard let colon = origin.firstRange(of: "://"),
            let page = Self.split(String(origin[colon.upperBound...]))
        else { return false }
        if named.contains(page.host) { return true }
        guard let service = authority.flatMap(Self.split) else { return false }
        let standard = origin.hasPrefix("https:") ? "443" : "80"
        return page.host == service.host
            && (page.port ?? standard) == (service.port ?? standard)
    }

    private static func canonical(_ host: String) -> String {
        let lower = host.lowercased()
        return lower.hasSuffix(".") ? String(lower.dropLast()) : lower
    }

    /// Splits host and port. An IPv6 address keeps its brackets. Returns nil for anything else.
    private static func split(_ authority: String) -> (host: String, port: String?)? {
        guard authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !authority.contains("@"),
            !authority.contains("/")
        else { return nil }
        let end: String.Index
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            end = authority.index(after: bracket)
        } else {
            end = authority.firstIndex(of: ":") ?? authority.endIndex
        }
        let rest = authority[end...]
        guard rest.isEmpty || rest.hasPrefix(":"), end > authority.startIndex else { return nil }
        let port = rest.count > 1 ? String(rest.dropFirst()) : nil
        return (canonical(String(authority[..<end])), port)
    }

    private static func isLoopback(_ host: String) -> Bool {
        host.hasSuffix(".localhost") || ListeningSocket.isLoopback(host)
    }

    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
