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

/// When a host that can't be reached is left alone, and how it is taken up again.
package struct BreakerPolicy: Sendable, Equatable {
    /// Transfers in a row that found no server. A bad page or a 500 doesn't count: it says nothing
    /// about the next URL.
    package var threshold = 10
    /// First rest; doubled while probes fail. Short, as a restarted origin should be seen soon.
    package var rest: Duration = .seconds(2)
    package var maxRest: Duration = .seconds(30)

    package init() {}
}
