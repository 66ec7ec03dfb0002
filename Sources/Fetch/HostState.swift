/// How one host stands at the moment.
package struct HostState: Sendable, Equatable {
    /// Whether the host is asked.
    package enum Breaker: Int, Sendable {
        case closed
        /// The next transfer is a probe, whose answer decides.
        case halfOpen
        /// Nothing is asked until its rest is over.
        case open
    }

    package var host: String
    package var breaker: Breaker
    /// Transfers that wait for a turn.
    package var waiting: Int
    package var running: Int

    package init(host: String, breaker: Breaker, waiting: Int, running: Int) {
        self.host = host
        self.breaker = breaker
        self.waiting = waiting
        self.running = running
    }
}
