/// What one run came to.
struct TransferResult: Sendable {
    var outcome: Result<TransferResult.Response, TransferFailure>
    var timings = FetchTimings()
    /// From start to end, without the time in the queue.
    var elapsed: Duration = .zero

    /// What the run tells about its host; a longer pause than `maxHold` is not waited for.
    func report(maxHold: Duration) -> HostHealth.Report? {
        switch outcome {
        case .failure(let failure): return failure.report
        case .success(let answer):
            switch answer.status {
            case 429:
                // Meant for this client, whatever the URL.
                let hold = answer.retryAfter.flatMap { $0 <= maxHold ? $0 : nil }
                return .overloaded(hold: hold)
            // Often one page's trouble: the others need not wait for its Retry-After.
            case 503: return .overloaded(hold: nil)
            default: return .answered
            }
        }
    }
}

extension TransferResult {
    /// An answer as it came: nothing is parsed on the network thread that the transfer doesn't need.
    struct Response: Sendable {
        var status: Int
        /// Field lines of the final head, with their line ends.
        var head: [UInt8]
        /// Empty for a redirect, and for an error whose body was over the limit.
        var body: [UInt8]
        /// Bytes that the body wants and its hold could not grow to: then there is no body.
        var lacking: Int?
        /// From `Retry-After`, both forms; `nil` where absent or past.
        var retryAfter: Duration?
    }
}
