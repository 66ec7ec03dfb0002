/// A snapshot of one host.
package struct HostState: Sendable, Equatable {
    /// Whether requests are sent to the host.
    package enum Breaker: Int, Sendable {
        case closed
        /// The next transfer is a probe; its result closes or opens the breaker.
        case halfOpen
        /// No request is sent until the host's rest is over.
        case open
    }

    package var host: String
    package var breaker: Breaker
    /// Queued transfers.
    package var waiting: Int
    package var running: Int

    package init(host: String, breaker: Breaker, waiting: Int, running: Int) {
        self.host = host
        self.breaker = breaker
        self.waiting = waiting
        self.running = running
    }
}
