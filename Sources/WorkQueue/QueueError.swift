/// Why a call to the queue failed. Never has a password.
package enum QueueError: Error, Equatable, CustomStringConvertible {
    /// The address is not one of a queue.
    case invalidAddress(reason: String)
    /// This build has no client for the queue.
    case unsupported(reason: String)
    /// The servers reject the credentials.
    case rejected(reason: String)
    /// No server answers, or the cluster has no leader. A later attempt may succeed.
    case unreachable(reason: String)
    /// The queue did not do it.
    case failed(operation: String, reason: String)

    package var description: String {
        switch self {
        case .invalidAddress(let reason), .unsupported(let reason): reason
        case .rejected(let reason): "The queue rejects our credentials: \(reason)."
        case .unreachable(let reason): "The queue can't be reached: \(reason)."
        case .failed(let operation, let reason): "The queue failed to \(operation): \(reason)."
        }
    }

    /// Whether a later attempt may succeed.
    package var isTransient: Bool {
        switch self {
        case .unreachable, .failed: true
        case .invalidAddress, .unsupported, .rejected: false
        }
    }
}
