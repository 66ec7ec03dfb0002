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
    }

    package init(maxConcurrent: Int = 16, rate: Rate? = nil) {
        self.maxConcurrent = maxConcurrent
        self.rate = rate
    }
}
