import Fetch

extension APIAnswer {
    package var isSuccess: Bool { 200..<300 ~= status }

    /// Returns the error for an unexpected status: neither the requested document nor word that there is none.
    func refusal(by host: HostPattern) -> Failure {
        .unavailable(reason: "\(host) answered \(status).")
    }
}
