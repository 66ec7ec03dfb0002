/// Every bound of the fetcher, with its default and its reason.
package struct FetchConfiguration: Sendable {
    /// Says who asks: add a way to reach you, some origins block anonymous clients.
    package var userAgent = "vitrine/0.1.0"
    /// Real origins connect within a second; five leave room for one lost SYN.
    package var connectTimeout: Duration = .seconds(5)
    /// Less than this many bytes a second …
    package var lowSpeedLimit = 1_024
    /// … for this long means that the origin is stuck.
    package var lowSpeedTime: Duration = .seconds(10)
    /// One attempt, from start to last byte.
    package var totalTimeout: Duration = .seconds(60)
    package var maxRedirects = 5
    package var retry = RetryPolicy()
    /// Transfers under way at once, over all hosts.
    package var maxTransfers = 64
    /// First match wins; hosts that match none use `defaultHost`.
    package var hosts: [(pattern: HostPattern, policy: HostPolicy)] = []
    package var defaultHost = HostPolicy()
    /// When a host that can't be reached is left alone for a while.
    package var breaker = BreakerPolicy()
    /// `HOST:PORT:HOST:PORT`, libcurl's `CURLOPT_CONNECT_TO`. The address reached is still checked.
    package var connectTo: [String] = []
    /// PEM file trusted instead of the system's.
    package var caFile: String?
    /// Proxy URL; `nil` means none, whatever the environment says.
    package var proxy: String?
    /// Networks that may be reached although they are not public, as CIDR.
    package var allowedNetworks: [Network] = []

    package init() {}
}
