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
}

/// A change of a host that an operator should know. `description` is for the log.
package enum HostEvent: Sendable, Equatable {
    /// The host could not be reached, nor by a probe after its rest. It is probed with pauses.
    case down(host: String)
    /// A host that was down has answered.
    case back(host: String)
}

extension HostEvent: CustomStringConvertible {
    package var description: String {
        switch self {
        case .down(let host):
            "\(host) can't be reached and is probed with pauses. Its stored pictures are served meanwhile."
        case .back(let host): "\(host) answers again."
        }
    }
}
