import Fetch

extension APIAnswer {
    var isSuccess: Bool { 200..<300 ~= status }

    /// Returns the error for an unexpected status: neither the requested document nor "absent".
    func refusal(by host: HostPattern) -> CatalogError {
        .unavailable(reason: "\(host) answered \(status).", timedOut: false, retryAfter: nil)
    }
}
