/// Why a fetch brought no usable response.
///
/// `description` is one sentence for people, without query strings, user-info or header values.
package struct FetchError: Error, Equatable {
    package let cause: Cause
    /// The host that failed; empty if no transfer has failed.
    package let host: String
    /// The attempts that led to this error; empty if another host or attempt would not change it.
    package let attempts: [FetchAttempt]

    package init(_ cause: Cause, host: String = "", attempts: [FetchAttempt] = []) {
        self.cause = cause
        self.host = host
        self.attempts = cause.words == nil ? [] : attempts
    }

    /// What a check before a transfer, or the transfer itself, has found.
    package enum Cause: Error, Equatable {
        /// The URL is not an absolute http(s) URL, or it has user-info, a bad port or control
        /// characters.
        case invalidURL(reason: String)
        /// The host, or one it redirects to, is not among the hosts allowed for this request.
        case hostNotAllowed(host: String)
        /// The name resolves, or the connection leads, to an address outside the allowed networks.
        case addressRefused(host: String, address: String, reason: String)
        case tooManyRedirects(limit: Int)
        /// A request with a body is redirected to another origin.
        case redirectRefused(FetchRequest.Method, to: String)
        /// The declared or received body is larger than `FetchRequest/maxBytes`.
        case tooLarge(limit: Int)
        case resolveFailed
        case connectFailed(reason: String)
        /// The host rests after too many failures, so no request was sent. Holds the rest that is left.
        case resting(Duration)
        /// The host asked for a pause with 429, so no request was sent. Holds the pause that is left.
        case held(Duration)
        /// The handshake broke off. Another attempt may succeed.
        case tlsFailed(reason: String)
        /// The peer's certificate is not trusted. Another attempt won't change that.
        case notTrusted(reason: String)
        /// - Parameter connected: whether the connection was made, and the response came too late.
        case timedOut(connected: Bool)
        /// The body ended before its declared length, or the connection was reset within it.
        case truncated(reason: String)
        /// The response was not HTTP, or broke its rules.
        case protocolError(reason: String)
        case canceled
        /// The fetcher is shutting down.
        case stopped
        /// The configuration can't work, such as a bad `--connect-to` or an unreadable CA file.
        case configuration(reason: String)
    }
}

extension FetchError: CustomStringConvertible {
    package var description: String {
        let counted = attempts.count > 1 ? " in \(attempts.count) attempts" : ""
        return switch cause {
        case .invalidURL(let reason):
            "The URL can't be fetched: \(reason)."
        case .hostNotAllowed(let host):
            "The host \(host) is not among those allowed for this request."
        case .addressRefused(let host, let address, let reason):
            """
            \(host) \(address == host ? "is" : "leads to \(address),") \(reason), which is refused \
            unless fetch.allowNetworks names its network.
            """
        case .tooManyRedirects(1): "There was more than one redirect."
        case .tooManyRedirects(let limit): "There were more than \(limit) redirects."
        case .redirectRefused(let method, let other):
            """
            The response of \(host) can't be used: it redirects a \(method.rawValue) to another \
            origin, \(other).
            """
        case .tooLarge(let limit): "The body is larger than the limit of \(limit) bytes."
        case .resolveFailed: "The name \(host) could not be resolved\(counted)."
        case .connectFailed(let reason): "No connection to \(host)\(counted): \(reason)."
        case .resting(let left): "No connection to \(host)\(counted): \(Cause.rests(left))."
        case .held(let left): "\(host) \(Cause.holds(left))."
        case .tlsFailed(let reason), .notTrusted(let reason):
            "No secure connection to \(host)\(counted): \(reason)."
        case .timedOut: "\(host) did not respond in time\(counted)."
        case .truncated: "The response of \(host) was cut off\(counted)."
        case .protocolError(let reason):
            "The response of \(host) can't be used\(counted): \(reason)."
        case .canceled: "The fetch was canceled."
        case .stopped: "The fetcher has stopped."
        case .configuration(let reason): "The fetcher's configuration can't work: \(reason)."
        }
    }
}

extension FetchError.Cause {
    /// A phrase for ``FetchAttempt/failure``; nil if the host is not at fault, and the error names no
    /// attempts.
    var words: String? {
        switch self {
        case .resolveFailed: "the name could not be resolved"
        case .connectFailed(let reason): "no connection: \(reason)"
        case .resting(let left): "not asked: \(Self.rests(left))"
        case .held(let left): "not asked: the host \(Self.holds(left))"
        case .tlsFailed(let reason), .notTrusted(let reason): "no secure connection: \(reason)"
        case .timedOut(let connected): "no \(connected ? "answer" : "connection") in time"
        case .truncated(let reason): "broke off: \(reason)"
        case .protocolError(let reason): reason
        case .invalidURL, .hostNotAllowed, .addressRefused, .tooManyRedirects, .redirectRefused,
            .tooLarge, .canceled, .stopped, .configuration:
            nil
        }
    }

    fileprivate static func rests(_ left: Duration) -> String {
        "it was unreachable moments ago; next attempt in \(seconds(left)) s"
    }

    fileprivate static func holds(_ left: Duration) -> String {
        "answered 429 and wants no request for another \(seconds(left)) s"
    }

    /// Returns whole seconds, at least one.
    package static func seconds(_ left: Duration) -> Int {
        Int(max(1, left.components.seconds + (left.components.attoseconds > 0 ? 1 : 0)))
    }

    /// Whether another attempt may succeed.
    var isTemporary: Bool {
        switch self {
        case .resolveFailed, .connectFailed, .tlsFailed, .timedOut, .truncated: true
        case .invalidURL, .hostNotAllowed, .addressRefused, .tooManyRedirects, .redirectRefused,
            .tooLarge, .resting, .held, .notTrusted, .protocolError, .canceled, .stopped,
            .configuration:
            false
        }
    }

    /// What a failed transfer says about its host; nil if it says nothing.
    var report: HostHealth.Report? {
        switch self {
        case .resolveFailed, .connectFailed, .tlsFailed, .timedOut(connected: false): .unreachable
        case .protocolError, .tooLarge, .truncated: .answered
        case .invalidURL, .hostNotAllowed, .addressRefused, .tooManyRedirects, .redirectRefused,
            .resting, .held, .notTrusted, .timedOut(connected: true), .canceled, .stopped,
            .configuration:
            nil
        }
    }
}
