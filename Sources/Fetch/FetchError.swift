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
    case cancelled
    /// The fetcher is shutting down.
    case stopped
    /// The configuration can't work, such as a bad `--connect-to` or an unreadable CA file.
    case configuration(reason: String)
}
