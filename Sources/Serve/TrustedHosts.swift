import FoundationEssentials

/// The names of the service, by which pages may reach what is private. Pure.
///
/// A page of another site can lead its own name to this machine (DNS rebinding), and its browser takes
/// the service for that site then. Addresses and `localhost` can't be led elsewhere.
struct TrustedHosts: Sendable, Equatable {
    private let named: Set<String>
    private let own: String

    /// `host` is where the service listens; `names` are the operator's.
    init(host: String, names: [String]) {
        named = Set(names.map(Self.canonical))
        own = Self.canonical(host)
    }

    /// Whether a request for that `Host` can be meant for this service. Without one it is of no
    /// browser.
    func allows(authority: String?) -> Bool {
        guard let authority else { return true }
        guard let host = Self.split(authority)?.host else { return false }
        return host == "localhost" || host.hasSuffix(".localhost") || Self.isAddress(host)
            || host == own || named.contains(host)
    }

    /// Whether a page of that `Origin` is of this service: of the same host and port, or of a host
    /// that the operator named.
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

    /// Host and port; an IPv6 address keeps its brackets. `nil` for what is neither.
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

    private static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("[") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
