import HitServer
import NIOCore

/// Where an HTTP/1.1 connection of an event loop is, and what follows from the time that it has been
/// there. Pure.
struct ConnectionPhase {
    enum Mode: Equatable {
        /// The next bytes are the head of a request.
        case open
        /// The codec has a request. Once it is answered, the rest of its body is dropped.
        case handedOn(isAnswered: Bool)
        /// The last response is written. No further request is answered.
        case ending
        /// That response is sent. Further bytes are dropped, so that the client can read it.
        case lingering
    }

    /// What is due.
    enum Verdict: Equatable {
        case stays
        /// The head, or the body, comes too slowly.
        case headIsTooSlow, bodyIsTooSlow
        /// The connection was idle for too long.
        case ends
        /// The client is cut off.
        case aborts(isTimeOut: Bool)
    }

    let mode: Mode
    /// Since the state began that timeouts count from.
    let waited: TimeAmount
    let hasServed: Bool
    /// Whether bytes of a request wait.
    let isHolding: Bool

    /// - Parameter request: the one that the codec has.
    func standing(_ request: IncomingBody, _ limits: ConnectionLimits) -> Standing {
        let isLate = waited > limits.dripGrace
        switch mode {
        case .open:
            if !isHolding, hasServed { return .idle }
            return isLate ? .dripping : .busy
        case .handedOn(let isAnswered):
            return request.isDripping || isAnswered && isLate ? .dripping : .busy
        case .ending: return .busy
        case .lingering: return .dripping
        }
    }

    /// - Parameter request: the one that the codec has.
    func verdict(_ request: IncomingBody, _ limits: ConnectionLimits) -> Verdict {
        switch mode {
        case .open where isHolding: waited > limits.head ? .headIsTooSlow : .stays
        case .open: waited > (hasServed ? limits.keepAlive : limits.head) ? .ends : .stays
        case .handedOn(isAnswered: false): request.isTooSlow ? .bodyIsTooSlow : .stays
        case .handedOn(isAnswered: true):
            waited > limits.linger ? .aborts(isTimeOut: true) : .stays
        case .ending: waited > limits.send ? .aborts(isTimeOut: false) : .stays
        case .lingering: waited > limits.linger ? .aborts(isTimeOut: false) : .stays
        }
    }
}
