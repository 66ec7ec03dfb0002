/// Why one transfer brought no response. ``RetryPolicy`` decides whether to try again.
enum TransferFailure: Error, Equatable {
    case resolve
    /// The connection failed. `reason` is a phrase for people.
    case connect(reason: String)
    /// The handshake broke off. Another attempt may succeed.
    case handshake(reason: String)
    /// The peer's certificate is not trusted. Another attempt won't change that.
    case certificate(reason: String)
    case timeout(Phase)
    case truncated(reason: String)
    case malformed(reason: String)
    case refused(IPAddress, reason: String)
    case tooLarge(limit: Int)
    /// The host rests after too many failures, so no request was sent. Holds the rest that is left.
    case resting(Duration)
    case canceled
    case stopped
    case configuration(reason: String)

    enum Phase: String {
        case connecting, answering
    }

    var isRetryable: Bool {
        switch self {
        case .resolve, .connect, .handshake, .timeout, .truncated: true
        case .certificate, .malformed, .refused, .tooLarge, .resting, .canceled, .stopped,
            .configuration:
            false
        }
    }

    /// What this failure says about the host; `nil` if it says nothing.
    var report: HostHealth.Report? {
        switch self {
        case .resolve, .connect, .handshake, .timeout(.connecting): .unreachable
        case .malformed, .tooLarge, .truncated: .answered
        case .timeout(.answering), .certificate, .refused, .resting, .canceled, .stopped,
            .configuration:
            nil
        }
    }

    /// A phrase for ``FetchAttempt/failure``.
    var words: String {
        switch self {
        case .resolve: "the name could not be resolved"
        case .connect(let reason): "no connection: \(reason)"
        case .handshake(let reason), .certificate(let reason): "no secure connection: \(reason)"
        case .timeout(.connecting): "no connection in time"
        case .timeout(.answering): "no answer in time"
        case .truncated(let reason): "broke off: \(reason)"
        case .malformed(let reason): reason
        case .refused(let address, let reason): "\(address) is \(reason)"
        case .tooLarge(let limit): "more than \(limit) bytes"
        case .resting(let left): "not asked: \(Self.restReason(left))"
        case .canceled: "canceled"
        case .stopped: "stopped"
        case .configuration(let reason): reason
        }
    }

    func error(host: String, attempts: [FetchAttempt]) -> FetchError {
        switch self {
        case .resolve: .resolveFailed(host: host, attempts: attempts)
        case .connect(let reason):
            .connectFailed(host: host, reason: reason, attempts: attempts)
        case .resting(let left):
            .connectFailed(host: host, reason: Self.restReason(left), attempts: attempts)
        case .handshake(let reason), .certificate(let reason):
            .tlsFailed(host: host, reason: reason, attempts: attempts)
        case .timeout: .timedOut(host: host, attempts: attempts)
        case .truncated: .truncated(host: host, attempts: attempts)
        case .malformed(let reason):
            .protocolError(host: host, reason: reason, attempts: attempts)
        case .refused(let address, let reason):
            .addressRefused(host: host, address: address.description, reason: reason)
        case .tooLarge(let limit): .tooLarge(limit: limit)
        case .canceled: .canceled
        case .stopped: .stopped
        case .configuration(let reason): .configuration(reason: reason)
        }
    }

    private static func restReason(_ left: Duration) -> String {
        let seconds = max(1, left.components.seconds + (left.components.attoseconds > 0 ? 1 : 0))
        return "the last tries found no server; the next one is allowed in \(seconds) s"
    }
}
