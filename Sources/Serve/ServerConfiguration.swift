import Dispatch
package import HTTP
import Logging
import Memory
package import Metrics
package import Traces

/// The configuration of the HTTP service.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port = 8080
    /// A listening socket to use instead of host and port. The server closes it.
    package var socket: CInt?
    /// What is offered here.
    package var offer = ServerConfiguration.Offer.everything
    /// What clients may ask for, among the routes with pictures.
    package var routes = RouteOffers.everything
    /// Whether the settings name a proxy or a cache in front. Then a local connection says nothing of where
    /// the client is.
    package var isBehindProxy = false
    /// Returns why `/readyz` is 503, as a sentence; nil if nothing beside the renderer matters.
    package var unreadiness: @Sendable () -> String? = { nil }
    /// Status of placeholders instead of the true one, for clients that need it.
    package var placeholderStatus: Int?
    /// The token of the admin routes; nil disables them.
    package var adminToken: AdminToken?
    /// Version of the program.
    package var version = ""
    /// The metrics of the process, shown at `/metrics`.
    package var metrics = MetricRegistry()
    /// Traces requests that wait for a miss; nil for none.
    package var tracer: Tracer?
    /// Which requests are logged.
    package var accessLog = AccessLog.slow
    /// Clients that may use favorites and history.
    package var userData = ServerConfiguration.UserDataAccess.automatic
    /// Names of the service besides its address, such as those that a proxy in front passes on.
    package var hosts: [String] = []
    /// The URL under which clients reach the service, such as that of a proxy in front; nil to use the
    /// host of each request.
    package var publicURL: String?
    /// Encrypts connections, if set. HTTP/2 is negotiated with ALPN.
    package var tls: TLSIdentity?
    /// Threads that serve connections; 0 is one per core.
    package var threads = 0
    /// Connections that the kernel queues until a thread accepts them, which takes milliseconds: a burst of
    /// clients that all come back at once. The kernel may allow fewer.
    package var backlog = 1_024
    /// Limit of open connections. Further ones wait.
    package var maxConnections = 10_000
    /// Limit of the idle time between requests.
    package var keepAliveTimeout: Duration = .seconds(75)
    /// Limit from the first to the last byte of a request's head. Also the time before
    /// ``minBodyRate`` applies to a body.
    package var headerTimeout: Duration = .seconds(10)
    /// Limit from the first to the last byte of a request's body.
    package var bodyTimeout: Duration = .seconds(60)
    /// Minimum average rate of a body in bytes per second. Every network is faster, so that a slower client
    /// only holds the connection.
    package var minBodyRate = 1 << 10
    /// How long the rest of a body is read and dropped after the response: several round trips. A close with
    /// unread bytes would reset the connection, and the client could lose the response.
    package var lingerTimeout: Duration = .seconds(2)
    /// Limit of bytes that are read and dropped then: as many as a client usually has under way.
    package var maxLingerBytes = 64 << 10
    /// A client that reads less than 16 KiB of its response in this time is disconnected.
    package var sendTimeout: Duration = .seconds(30)
    /// Memory for large responses to clients that read slowly, in bytes.
    package var responseBytes = 32 << 20
    /// Hits that were read from disk may take one part in this many of them.
    static let hitBodiesShare = 4
    /// Returns nanoseconds of a monotonic clock, by which timeouts are measured; nil for the system's.
    package var uptime: (@Sendable () -> UInt64)?
    /// Limit of the request line and header fields together, in bytes.
    package var maxHeaderBytes = 32 << 10
    /// Limit of path and query, in bytes: the 8,000 that RFC 9110, section 4.1, wants at least, and hardly
    /// more.
    package var maxTargetBytes = 8 << 10

    package init() {}
}

extension ServerConfiguration {
    /// Threads that serve connections.
    var threadCount: Int { threads > 0 ? threads : MachineProcessors.count() }

    /// Returns the same for the operator's address, which a few scrapes and probes a minute ask. It has a
    /// thread and connections of its own, so that clients of pictures can't keep them from it.
    package func administration(at address: ListenAddress, _ offer: Offer) -> Self {
        var configuration = self
        (configuration.host, configuration.port) = (address.host, address.port)
        (configuration.socket, configuration.tls) = (nil, nil)
        configuration.offer = offer
        configuration.threads = 1
        configuration.maxConnections = Self.adminConnections
        return configuration
    }

    /// Connections to the operator's address.
    package static let adminConnections = 100

    /// Of the address that ``Offer/pictures(admin:)`` names.
    var administration: Self? {
        guard case .pictures(let address) = offer else { return nil }
        return administration(at: address, .admin)
    }

    package enum Offer: Sendable {
        case everything
        /// Everything but `/metrics`, `/readyz` and `/admin`, which have that address of their own.
        case pictures(admin: ListenAddress)
        /// `/metrics`, `/readyz`, `/healthz` and `/admin`, at that address.
        case admin
        /// `/metrics`, `/healthz` and `/readyz`, for a process that serves no pictures.
        case operations

        func includes(_ route: Route) -> Bool {
            switch self {
            case .everything: true
            case .pictures: !route.isOfOperator
            case .admin: route.isOfOperator || route == .health
            case .operations: [.metrics, .health, .readiness].contains(route)
            }
        }

        var hasPictures: Bool {
            switch self {
            case .everything, .pictures: true
            case .admin, .operations: false
            }
        }
    }

    /// Clients that may use favorites and history.
    package enum UserDataAccess: String, Sendable, CaseIterable {
        /// ``open`` if the service listens on loopback only, otherwise ``off``.
        case automatic = "auto"
        /// No client.
        case off
        /// Every client that asks the service by one of its names.
        case open
        /// Clients with the admin token.
        case token
    }

}

/// Selects the requests that are logged at level info. At level debug every request is logged.
package enum AccessLog: String, Sendable, CaseIterable {
    case off
    /// All requests except hits in memory or in a known file, which may come tens of thousands of
    /// times per second.
    case slow
    case all

    /// Returns whether such hits are logged, given the logger's level.
    func showsHits(_ logger: Logger) -> Bool {
        logger.logLevel <= (self == .all ? .info : .debug)
    }
}
