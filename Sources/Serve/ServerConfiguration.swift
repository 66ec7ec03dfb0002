/// What the HTTP service needs besides the pipeline.
package struct ServerConfiguration: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port = 8080
    /// A socket that listens already, in place of host and port; the server closes it.
    package var socket: CInt?
    /// Sent with the placeholder instead of the true status, for clients that need it.
    package var placeholderStatus: Int?
    /// Who may use the admin routes; without one nobody may.
    package var adminToken: AdminToken?
    /// Of the program.
    package var version = ""
    /// What else counts in this process, shown at `/metrics` together.
    package var metrics = MetricRegistry()
    /// Which requests are logged.
    package var accessLog = AccessLog.slow
    /// Who may use favorites and history.
    package var userData = ServerConfiguration.UserDataAccess.automatic
    /// Names by which clients reach the service, besides its address: those that a proxy in front
    /// passes on.
    package var hosts: [String] = []
    /// Connections are encrypted where there is one, with HTTP/2 for who wants it.
    package var tls: TLSIdentity?
    /// Event loops; 0 is one per core.
    package var threads = 0
    /// Percent of a core that a thread answering hits may take and still run before everything else on
    /// the machine, where that is permitted; 0 is never.
    package var hitPrecedence = 50
    /// Connections that wait to be accepted.
    package var backlog = 1_024
    /// Open connections; who comes after waits.
    package var maxConnections = 10_000
    /// Between requests.
    package var keepAliveTimeout: Duration = .seconds(75)
    /// From the first byte of a request's head to its last; and what a body gets before
    /// ``minBodyRate`` counts.
    package var headerTimeout: Duration = .seconds(10)
    /// From the first byte of a request's body to its last.
    package var bodyTimeout: Duration = .seconds(60)
    /// Bytes of a body a second, on the mean.
    package var minBodyRate = 1 << 10
    /// How long the rest of a body is read and dropped once its request is answered.
    package var lingerTimeout: Duration = .seconds(2)
    /// And how many bytes of it.
    package var maxLingerBytes = 64 << 10
    /// A client that takes less than 16 KiB of its answer in this time is cut off.
    package var sendTimeout: Duration = .seconds(30)
    /// Bytes of large responses under way, for clients that read slowly.
    package var responseBytes = 32 << 20
    /// Request line and header fields together.
    package var maxHeaderBytes = 32 << 10
    /// The path and query alone.
    package var maxTargetBytes = 8 << 10

    package init() {}
}

extension ServerConfiguration {
    /// Who may use favorites and history.
    package enum UserDataAccess: String, Sendable, CaseIterable {
        /// ``open`` where the service listens on loopback only, ``off`` elsewhere.
        case automatic = "auto"
        /// No client.
        case off
        /// Every client that asks the service by one of its names.
        case open
        /// Clients with the admin token.
        case token
    }

}
