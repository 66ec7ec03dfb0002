/// Every bound of the fetcher, with its default and its reason.
package struct FetchConfiguration: Sendable {
    /// Says who asks; TVMaze and others block anonymous clients.
    package var userAgent = "vitrine/0.1 (+https://github.com/vitrine/vitrine)"
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

/// When and how long to wait before trying again.
package struct RetryPolicy: Sendable, Equatable {
    /// Tries in all, the first included.
    package var attempts = 4
    /// Upper edge of the first pause; doubled each time, then drawn evenly from zero ("full jitter").
    package var baseDelay: Duration = .milliseconds(250)
    package var maxDelay: Duration = .seconds(10)
    /// A longer `Retry-After` ends the tries: the answer is then final.
    package var maxRetryAfter: Duration = .seconds(60)

    package init() {}
}

/// How hard one host may be asked.
package struct HostPolicy: Sendable, Equatable {
    /// Transfers under way at once.
    package var maxConcurrent = 16
    /// At most `count` starts in any window of this length; `nil` is no limit.
    package var rate: Rate?

    package struct Rate: Sendable, Equatable {
        package var count: Int
        package var per: Duration

        package init(count: Int, per: Duration) {
            self.count = count
            self.per = per
        }
    }

    package init(maxConcurrent: Int = 16, rate: Rate? = nil) {
        self.maxConcurrent = maxConcurrent
        self.rate = rate
    }
}
