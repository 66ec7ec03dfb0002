/// The load that one host may receive.
package struct HostPolicy: Sendable, Equatable {
    /// Transfers that run at the same time.
    package var maxConcurrent = 16
    /// At most `count` starts in any window of length `per`; nil means no limit.
    package var rate: Rate?

    /// A number of starts per time window.
    package struct Rate: Sendable, Equatable {
        package var count: Int
        package var per: Duration

        package init(count: Int, per: Duration) {
            self.count = count
            self.per = per
        }

        package var perSecond: Double { Double(count) / (per / .seconds(1)) }
    }

    /// Returns the slower of both for concurrency and rate.
    package func bounded(by other: HostPolicy) -> HostPolicy {
        var bounded = self
        bounded.maxConcurrent = min(maxConcurrent, other.maxConcurrent)
        if let limit = other.rate, rate.map({ limit.perSecond < $0.perSecond }) ?? true {
            bounded.rate = limit
        }
        return bounded
    }

    package init(maxConcurrent: Int = 16, rate: Rate? = nil) {
        self.maxConcurrent = maxConcurrent
        self.rate = rate
    }
}
