/// A URL that passed every check that doesn't need the network.
struct Target: Sendable, Equatable {
    enum Scheme: String, Sendable {
        case http, https
    }

    /// Normalized, without fragment.
    let url: String
    let scheme: Scheme
    /// Lower-case, without brackets and final dot.
    let host: String
    let port: Int

    /// The parts of a URL as parsed by libcurl, which will also connect to it.
    struct Parts: Equatable {
        var url: String
        var scheme: String
        var hasUserInfo: Bool
        /// As in the URL: IPv6 in brackets, names in their ASCII form.
        var host: String
        var hasZone: Bool
        /// The explicit port, or the scheme's default.
        var port: Int
    }

    /// Checks scheme, user-info, host and port.
    ///
    /// A port other than 80 and 443 needs a literal address inside the allowed networks. An
    /// operator who allows a private network may run a development server there, but a public URL
    /// must not probe ports.
    ///
    /// - Throws: ``FetchError/Cause/invalidURL(reason:)``, ``FetchError/Cause/hostNotAllowed(host:)`` or
    ///   ``FetchError/Cause/addressRefused(host:address:reason:)``.
    init(
        _ parts: Parts, allowedHosts: [HostPattern]?, addresses: AddressPolicy
    ) throws(FetchError.Cause) {
        guard let scheme = Scheme(rawValue: parts.scheme.lowercased()) else {
            throw .invalidURL(reason: "its scheme is neither http nor https")
        }
        guard !parts.hasUserInfo else {
            throw .invalidURL(reason: "it holds user information")
        }
        guard !parts.hasZone else {
            throw .invalidURL(reason: "its address holds a zone")
        }
        var host = parts.host.lowercased()
        if host.hasSuffix(".") { host.removeLast() }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, host.utf8.count <= 253 else {
            throw .invalidURL(reason: "it names no host")
        }
        if let allowedHosts, !allowedHosts.contains(where: { $0.matches(host) }) {
            throw .hostNotAllowed(host: host)
        }
        let literal = IPAddress(host)
        if let literal, let reason = addresses.refusal(of: literal, isPlain: scheme == .http) {
            throw .addressRefused(host: host, address: literal.description, reason: reason)
        }
        guard
            parts.port == 80 || parts.port == 443 || addresses.isOpen
                || literal.map(addresses.isAllowed) == true
        else {
            throw .invalidURL(reason: "its port is \(parts.port), and only 80 and 443 are allowed")
        }
        self.url = parts.url
        self.scheme = scheme
        self.host = host
        self.port = parts.port
    }

    /// Returns whether scheme, host and port are equal (RFC 6454).
    func isSameOrigin(as other: Target) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }
}
