/// The load that one host may receive.
package struct HostPolicy: Sendable, Equatable {
    /// Transfers that run at the same time.
    package var maxConcurrent = 16
    /// At most `count` starts in any window of length `per`; `nil` is no limit.
    package var rate: Rate?

    /// A number of starts per time window.
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

/// When an unreachable host is suspended, and how it recovers.
package struct BreakerPolicy: Sendable, Equatable {
    /// Transfers in a row that found no server. A bad page or a 500 doesn't count, because it says
    /// nothing about the next URL.
    package var threshold = 10
    /// The first rest, doubled while probes fail. It is short so that a restarted origin is found
    /// soon.
    package var rest: Duration = .seconds(2)
    /// Upper bound of a rest.
    package var maxRest: Duration = .seconds(30)

    package init() {}
}
