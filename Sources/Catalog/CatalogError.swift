/// Why a source returned no result. `description` is one sentence for people.
package enum CatalogError: Error, Equatable {
    /// The request is invalid: a malformed id, a missing or unknown parameter, a term that is too
    /// short.
    case invalid(reason: String)
    /// The source reports that the item or list does not exist.
    case absent(reason: String)
    /// The source is unreachable or failed: network, 429, 5xx, an unreadable response.
    ///
    /// `timedOut` separates slowness from failure. `retryAfter` is in seconds.
    case unavailable(reason: String, timedOut: Bool, retryAfter: Int?)
    /// Credentials are missing or were rejected. `reason` says what to configure.
    case unconfigured(reason: String)
    case cancelled
}

extension CatalogError {
    /// Whether this error says nothing about the requested thing, so that a stored result stays in
    /// use.
    ///
    /// That is so while the source is unreachable or rejects our credentials.
    package var leavesOpen: Bool {
        switch self {
        case .unavailable, .unconfigured: true
        case .invalid, .absent, .cancelled: false
        }
    }

    /// Returns the same error with the unreadable part named before the reason.
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
