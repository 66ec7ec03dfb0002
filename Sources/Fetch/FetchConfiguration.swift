import Glibc

/// Every bound of the fetcher, with its default and the reason for it.
package struct FetchConfiguration: Sendable {
    /// Identifies the client. Add a way to reach you: some origins block anonymous clients.
    package var userAgent = "vitrine"
    /// Real origins connect within one second. Five seconds leave room for one lost SYN.
    package var connectTimeout: Duration = .seconds(5)
    /// Bytes per second. A transfer that is slower …
    package var lowSpeedLimit = 1_024
    /// … for this long is stuck and times out.
    package var lowSpeedTime: Duration = .seconds(10)
    /// Limit of all attempts of a request together, without the pauses between them.
    package var totalTimeout: Duration = .seconds(60)
    /// Redirects that one request may follow.
    package var maxRedirects = 5
    package var retry = RetryPolicy()
    /// Transfers that run at the same time, over all hosts: four hosts with as many as one may have by
    /// default.
    package var maxTransfers = 64
    /// Policies by host. The first match wins; other hosts use `defaultHost`.
    package var hosts: [(pattern: HostPattern, policy: HostPolicy)] = []
    package var defaultHost = HostPolicy()
    /// Bounds the policy of every host; nil for no further bound.
    package var ceiling: HostPolicy?
    /// Shares rates with other processes; nil for none.
    package var sharedRates: SharedRateLimit?
    /// When requests to an unreachable host are suspended, and for how long.
    package var breaker = BreakerPolicy()
    /// Is told of hosts that go down and come back. It is called on the thread of transfers, so it
    /// returns at once.
    package var report: @Sendable (HostEvent) -> Void = { _ in }
    /// `HOST:PORT:HOST:PORT`, libcurl's `CURLOPT_CONNECT_TO`. The address that is reached is still
    /// checked.
    package var connectTo: [String] = []
    /// PEM file of CA certificates, used instead of the system's.
    package var caFile: String?
    /// Proxy URL; `nil` means none, even if the environment names one.
    package var proxy: String?
    /// Networks that may be reached although they are not public, in CIDR form.
    package var allowedNetworks: [Network] = []
    package var reach = Reach.origins

    /// Where a fetcher's requests may lead.
    package enum Reach: Sendable {
        /// Public addresses and allowed networks, on ports 80 and 443. Redirects are followed.
        case origins
        /// Any address and port, for endpoints that only the operator can choose. No redirect is
        /// followed. Never give such a fetcher a URL from a source, a client or a response.
        case endpoints
    }

    package init() {}
}

extension FetchConfiguration {
    /// Returns the load that a host may receive.
    package func policy(of host: String) -> HostPolicy {
        let policy = hosts.first { $0.pattern.matches(host) }?.policy ?? defaultHost
        return ceiling.map(policy.bounded) ?? policy
    }

    /// Finds mistakes at startup that would otherwise fail every transfer.
    func check() throws(FetchError.Cause) {
        if let problem = CurlLibrary.problem {
            throw .configuration(reason: problem)
        }
        for entry in connectTo where !Self.isConnectTo(entry) {
            throw .configuration(reason: "“\(entry)” is not HOST:PORT:HOST:PORT")
        }
        if let caFile, access(caFile, R_OK) != 0 {
            throw .configuration(
                reason: "the CA file \(caFile) can't be read (\(String(cString: strerror(errno))))")
        }
        if let caFile {
            var status = stat()
            // libcurl would wait for the writer of a pipe.
            guard stat(caFile, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                throw .configuration(reason: "the CA file \(caFile) is not a regular file")
            }
        }
        if let proxy {
            let schemes = [
                "http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://",
            ]
            guard schemes.contains(where: { proxy.lowercased().hasPrefix($0) }) else {
                // The proxy isn't shown because it may contain a password.
                throw .configuration(
                    reason: "the proxy is not a URL with one of the schemes http, https, socks4, "
                        + "socks4a, socks5 and socks5h")
            }
        }
        guard !userAgent.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
            throw .configuration(reason: "the user agent holds control characters")
        }
    }

    /// Checks for four fields, IPv6 in brackets. libcurl reads an empty field as "any" or
    /// "unchanged".
    static func isConnectTo(_ entry: String) -> Bool {
        let place = #/(?<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:\s]*):[0-9]{0,5}/#
        guard let from = entry.prefixMatch(of: place) else { return false }
        let rest = entry[from.range.upperBound...]
        return rest.first == ":" && rest.dropFirst().wholeMatch(of: place) != nil
    }
}
