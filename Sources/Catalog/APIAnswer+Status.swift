import Fetch

extension APIAnswer {
    var isSuccess: Bool { 200..<300 ~= status }

    /// For an answer that says neither what was asked for nor that there is none.
    func refusal(by host: HostPattern) -> CatalogError {
        .unavailable(reason: "\(host) answered \(status).", timedOut: false, retryAfter: nil)
    }
}
