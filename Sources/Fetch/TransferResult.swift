/// The result of one transfer.
struct TransferResult: Sendable {
    var outcome: Result<TransferResult.Response, TransferFailure>
    var timings = FetchTimings()
    /// Duration without the time in the queue.
    var elapsed: Duration = .zero
    /// Whether the head of a response began.
    var hasResponse = false

    /// Whether a connection failed that was used before, and this request has not been answered. Its host has
    /// closed it, or has sent something after an earlier response.
    var isOfUsedConnection: Bool {
        guard timings.reusedConnection, !hasResponse, case .failure(let failure) = outcome else {
            return false
        }
        return switch failure {
        case .malformed, .truncated: true
        default: false
        }
    }

    /// Returns what the result says about its host. A pause longer than `maxHold` is ignored.
    func report(maxHold: Duration) -> HostHealth.Report? {
        switch outcome {
        case .failure(let failure): return failure.report
        case .success(let answer):
            switch answer.status {
            case 429:
                // It concerns this client, not only this URL.
                let hold = answer.retryAfter.flatMap { $0 <= maxHold ? $0 : nil }
                return .overloaded(hold: hold)
            // Often a problem of one page, so other URLs don't wait for its Retry-After.
            case 503: return .overloaded(hold: nil)
            default: return .answered
            }
        }
    }
}

extension TransferResult {
    /// A response as received. The network thread parses only what the transfer needs.
    struct Response: Sendable {
        var status: Int
        /// Header lines of the final head, with their line ends.
        var head: [UInt8]
        /// Empty for a redirect, and for an error whose body was over the limit.
        var body: [UInt8]
        /// Bytes that the body needs, if its reservation couldn't grow to them. Then there is no
        /// body.
        var lacking: Int?
        /// The value of `Retry-After`; nil if it is absent or past.
        var retryAfter: Duration?
    }
}
