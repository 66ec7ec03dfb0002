import HTTP
import HTTPTypes

/// Access control of the private routes: favorites, history and admin. Pure.
struct PrivateAccess: Sendable {
    private let userData: ServerConfiguration.UserDataAccess
    private let isLoopback: Bool
    private let isBehindProxy: Bool
    /// The port that it listens on; nil if that is not known yet.
    private let port: Int?
    /// Of URLs without one.
    private let standardPort: Int
    private let token: AdminToken?
    private let hosts: TrustedHosts

    init(_ configuration: ServerConfiguration) {
        userData = configuration.userData
        isLoopback =
            configuration.socket.map(ListeningSocket.isLoopback)
            ?? ListeningSocket.isLoopback(configuration.host)
        isBehindProxy = configuration.isBehindProxy
        port = configuration.socket == nil && configuration.port > 0 ? configuration.port : nil
        standardPort = ServiceAddress.standardPort(configuration)
        token = configuration.adminToken
        hosts = TrustedHosts(
            host: configuration.host,
            names: configuration.hosts
                + [configuration.administration?.host].compactMap(\.self))
    }

    /// Returns why a request may not use a route; nil if it may.
    func refusal(of request: Request, for route: Route) -> Problem? {
        guard route.isPrivate else { return nil }
        guard route.isOfOperator else { return userDataRefusal(of: request) }
        return refusal(of: request) ?? AdminToken.refusal(of: request, token)
    }

    /// Refuses requests by a foreign name or from pages of other services; nil permits.
    private func refusal(of request: Request) -> Problem? {
        let fields = request.fields
        let forwarded = fields[.forwardedHost].map { String($0.prefix { $0 != "," }) }
        for name in [request.authority, forwarded]
        where !hosts.allows(authority: name) {
            return Problem(
                status: .forbidden, name: "foreign-host", title: "Not a name of this service",
                detail:
                    "This is only for requests to a name of this service; server.hosts adds names."
            )
        }
        let site = fields[.secFetchSite]
        let isForeign =
            site.map { $0 != "same-origin" && $0 != "none" } ?? false
            || fields[.origin].map {
                !hosts.allows(origin: $0, authority: request.authority)
            } ?? false
        guard isForeign else { return nil }
        return Problem(
            status: .forbidden, name: "foreign-origin", title: "Not a page of this service",
            detail:
                "Pages of other sites may not use this; server.hosts adds names of this service.")
    }

    /// Refuses requests for favorites or the history; nil permits.
    func userDataRefusal(of request: Request) -> Problem? {
        switch userData {
        case .off: return Self.off
        case .automatic: if !isLocal(request) { return Self.off }
        case .open: break
        case .token:
            if let refusal = AdminToken.refusal(of: request, token) { return refusal }
        }
        return refusal(of: request)
    }

    /// Returns whether a request comes from a client that is neither the operator nor certainly on this
    /// machine. See ``RouteOffers``.
    func isStranger(_ request: Request) -> Bool {
        if let token, token.isCarried(by: request.fields[.authorization]) { return false }
        return isBehindProxy || !isLocal(request)
    }

    /// Returns whether another site's page may have caused a request. Browsers say so; of older ones
    /// and other clients, any page that they name may be of another site.
    static func mayComeFromAnotherSite(_ fields: HTTPFields) -> Bool {
        fields[.secFetchSite].map { $0 == "cross-site" } ?? (fields[.referer] != nil)
    }

    private static let off = Problem(
        status: .forbidden, name: "user-data-off", title: "Switched off",
        detail: "Favorites, history and explanations are off; set userData to open or token.")

    /// Returns whether a request certainly comes from a client of this machine.
    ///
    /// With a proxy in front, the connection is local, and the client may be anywhere. Most proxies say so in a
    /// field. Those that don't are told by what they send otherwise: HTTP/1.0, or a `Host` that is not the
    /// address of this service, such as `localhost` without the port.
    private func isLocal(_ request: Request) -> Bool {
        isLoopback && !request.fields.areForwarded && !request.isVersion10
            && TrustedHosts.isLocal(request.authority, port: port, standardPort: standardPort)
    }

    /// Header fields that decide whether a response contains favorites; nil if none does.
    var vary: String? {
        switch userData {
        case .off: nil
        case .automatic: isLoopback ? Self.varyByPage : nil
        case .open: Self.varyByPage
        case .token: "Authorization, \(Self.varyByPage)"
        }
    }

    static let varyByPage = "Origin, Sec-Fetch-Site"
}

extension AdminToken {
    /// Returns why a request is not the operator's; nil if it is.
    static func refusal(of request: Request, _ token: AdminToken?) -> Problem? {
        guard let token else {
            return Problem(
                status: .forbidden, name: "admin-not-configured", title: "Not configured",
                detail: "The admin routes need a token: set VITRINE_ADMIN_TOKEN.")
        }
        guard token.isCarried(by: request.fields[.authorization]) else {
            return Problem(
                status: .unauthorized, name: "wrong-token", title: "Wrong token",
                detail: "Send the admin token as “Authorization: Bearer …”.",
                fields: [.wwwAuthenticate: "Bearer realm=\"vitrine\""])
        }
        return nil
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedHost = constant("X-Forwarded-Host")
    static let secFetchSite = constant("Sec-Fetch-Site")
}
