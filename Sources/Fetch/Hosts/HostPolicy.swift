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

/// Rates that hold for several processes together.
package struct SharedRateLimit: Sendable {
    /// Calls `begin`, which returns whether a transfer starts, and records that start; or returns the
    /// time until the rate allows one. Blocks for a few microseconds.
    package typealias Start =
        @Sendable (_ host: String, HostPolicy.Rate, _ begin: () -> Bool) -> Duration?

    package var start: Start

    package init(start: @escaping Start) { self.start = start }
}
