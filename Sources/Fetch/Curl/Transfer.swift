import Memory

/// One libcurl run: a checked target, without redirects and retries.
struct Transfer: Sendable {
    /// Its method and body are those of this run.
    var request: FetchRequest
    var target: Target
    /// The bytes of header lines, checked for line breaks.
    var headers: [[UInt8]]
    /// The memory of the body; nil if none is reserved.
    var room: BodyRoom?
    /// Whether a connection that was used before must not be used.
    var needsNewConnection = false
    /// Limit from the start to the last byte.
    var timeout: Duration
    var addresses: AddressPolicy
    /// See ``Requester/address``.
    var client: String?

    /// Whether compression is accepted. The limit of the body's bytes then holds for it decompressed.
    var acceptsCompression: Bool { request.purpose == .api }
}

/// The result of one transfer.
struct TransferResult: Sendable {
    enum Outcome: Sendable {
        /// Without attempts, which follow later.
        case response(FetchResponse)
        /// The body needs that many bytes, to which its reservation couldn't grow.
        case lacking(Int)
        case failure(FetchError.Cause)
    }

    var outcome: Outcome
    /// The value of `Retry-After`; nil if it is absent or past.
    var retryAfter: Duration?
    var timings = FetchTimings()
    /// Duration without the time in the queue.
    var elapsed: Duration = .zero
    /// Whether the head of a response began.
    var hasResponse = false

    /// Whether a connection failed that was used before, and this request has not been answered. Its host has
    /// closed it, or has sent something after an earlier response.
    var isOfUsedConnection: Bool {
        guard timings.reusedConnection, !hasResponse else { return false }
        return switch outcome {
        case .failure(.protocolError), .failure(.truncated): true
        default: false
        }
    }

    /// What the result says about its host.
    var report: HostHealth.Report? {
        switch outcome {
        case .failure(let cause): return cause.report
        case .lacking: return .answered
        case .response(let response):
            switch response.status {
            // It concerns this client, not only this URL.
            case 429: return .overloaded(hold: retryAfter)
            // Often a problem of one page, so other URLs don't wait for its Retry-After.
            case 503: return .overloaded(hold: nil)
            default: return .answered
            }
        }
    }
}
