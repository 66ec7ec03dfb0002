/// Why no usable answer came.
///
/// `description` is one sentence for a person, without query strings, user-info or header values.
package enum FetchError: Error, Equatable {
    /// Not an absolute http(s) URL, or one with user-info, a bad port, control characters.
    case invalidURL(reason: String)
    /// The host, or one it redirects to, is not among the hosts allowed for this request.
    case hostNotAllowed(host: String)
    /// The name resolved to, or the connection leads to, an address outside the allowed networks.
    case addressRefused(host: String, address: String, reason: String)
    case tooManyRedirects(limit: Int)
    /// More body than `FetchRequest/maxBytes`, declared or received.
    case tooLarge(limit: Int)
    case resolveFailed(host: String, attempts: [FetchAttempt])
    case connectFailed(host: String, reason: String, attempts: [FetchAttempt])
    case tlsFailed(host: String, reason: String, attempts: [FetchAttempt])
    case timedOut(host: String, attempts: [FetchAttempt])
    /// The body ended before its declared length, or the connection was reset within it.
    case truncated(host: String, attempts: [FetchAttempt])
    /// The answer was not HTTP, or broke its rules.
    case protocolError(host: String, reason: String, attempts: [FetchAttempt])
    case cancelled
    /// The fetcher is shutting down.
    case stopped
    /// The configuration can't work: a bad `--connect-to`, an unreadable CA file, …
    case configuration(reason: String)
}
