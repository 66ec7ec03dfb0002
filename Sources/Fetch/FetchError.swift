/// Why a fetch brought no usable response.
///
/// `description` is one sentence for people, without query strings, user-info or header values.
package enum FetchError: Error, Equatable {
    /// The URL is not an absolute http(s) URL, or it has user-info, a bad port or control
    /// characters.
    case invalidURL(reason: String)
    /// The host, or one it redirects to, is not among the hosts allowed for this request.
    case hostNotAllowed(host: String)
    /// The name resolves, or the connection leads, to an address outside the allowed networks.
    case addressRefused(host: String, address: String, reason: String)
    case tooManyRedirects(limit: Int)
    /// The declared or received body is larger than `FetchRequest/maxBytes`.
    case tooLarge(limit: Int)
    case resolveFailed(host: String, attempts: [FetchAttempt])
    case connectFailed(host: String, reason: String, attempts: [FetchAttempt])
    case tlsFailed(host: String, reason: String, attempts: [FetchAttempt])
    case timedOut(host: String, attempts: [FetchAttempt])
    /// The body ended before its declared length, or the connection was reset within it.
    case truncated(host: String, attempts: [FetchAttempt])
    /// The response was not HTTP, or broke its rules.
    case protocolError(host: String, reason: String, attempts: [FetchAttempt])
    case canceled
    /// The fetcher is shutting down.
    case stopped
    /// The configuration can't work, such as a bad `--connect-to` or an unreadable CA file.
    case configuration(reason: String)
}

extension FetchError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidURL(let reason):
            "The URL can't be fetched: \(reason)."
        case .hostNotAllowed(let host):
            "The host \(host) is not among those allowed for this request."
        case .addressRefused(let host, let address, let reason):
            """
            \(host) \(address == host ? "is" : "leads to \(address),") \(reason), which is refused \
            unless fetch.allowNetworks names its network.
            """
        case .tooManyRedirects(let limit):
            limit == 1
                ? "There was more than one redirect."
                : "There were more than \(limit) redirects."
        case .tooLarge(let limit):
            "The body is larger than the limit of \(limit) bytes."
        case .resolveFailed(let host, let attempts):
            "The name \(host) could not be resolved\(Self.counted(attempts))."
        case .connectFailed(let host, let reason, let attempts):
            "No connection to \(host)\(Self.counted(attempts)): \(reason)."
        case .tlsFailed(let host, let reason, let attempts):
            "No secure connection to \(host)\(Self.counted(attempts)): \(reason)."
        case .timedOut(let host, let attempts):
            "\(host) did not respond in time\(Self.counted(attempts))."
        case .truncated(let host, let attempts):
            "The response of \(host) was cut off\(Self.counted(attempts))."
        case .protocolError(let host, let reason, let attempts):
            "The response of \(host) can't be used\(Self.counted(attempts)): \(reason)."
        case .canceled: "The fetch was canceled."
        case .stopped: "The fetcher has stopped."
        case .configuration(let reason): "The fetcher's configuration can't work: \(reason)."
        }
    }

    /// The attempts that led to this error; empty if the request failed without one.
    package var attempts: [FetchAttempt] {
        switch self {
        case .resolveFailed(_, let attempts), .connectFailed(_, _, let attempts),
            .tlsFailed(_, _, let attempts), .timedOut(_, let attempts),
            .truncated(_, let attempts), .protocolError(_, _, let attempts):
            attempts
        case .invalidURL, .hostNotAllowed, .addressRefused, .tooManyRedirects, .tooLarge,
            .canceled, .stopped, .configuration:
            []
        }
    }

    private static func counted(_ attempts: [FetchAttempt]) -> String {
        attempts.count > 1 ? " in \(attempts.count) attempts" : ""
    }
}
