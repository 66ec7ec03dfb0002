/// Why a source gives no answer. `description` is one sentence for a person.
package enum CatalogError: Error, Equatable {
    /// The request can't be meant: an id that isn't one, a missing or unknown parameter, a term that
    /// is too short.
    case invalid(reason: String)
    /// The source says that there is no such item or list.
    case absent(reason: String)
    /// The source could not be asked, or refused: network, 429, 5xx, an answer that makes no sense.
    /// `timedOut` tells slowness from refusal; `retryAfter` is in seconds.
    case unavailable(reason: String, timedOut: Bool, retryAfter: Int?)
    /// Credentials are missing or refused; `reason` says what to configure.
    case unconfigured(reason: String)
    case cancelled
}

extension CatalogError {
    /// Whether it says nothing about the thing asked for, so that what is known of it goes on being
    /// used: the source can't be asked, or lets nobody in.
    package var leavesOpen: Bool {
        switch self {
        case .unavailable, .unconfigured: true
        case .invalid, .absent, .cancelled: false
        }
    }

    /// The same, with the name of what could not be read before the reason.
    func naming(_ part: String) -> CatalogError {
        guard case .unavailable(let reason, let timedOut, let retryAfter) = self else {
            return self
        }
        return .unavailable(
            reason: "\(part) can't be read: \(reason)", timedOut: timedOut,
            retryAfter: retryAfter)
    }
}

extension CatalogError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalid(let reason), .absent(let reason), .unconfigured(let reason): reason
        case .unavailable(let reason, _, _): reason
        case .cancelled: "The request was cancelled."
        }
    }
}
