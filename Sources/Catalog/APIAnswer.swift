import Fetch
package import Memory

/// Status and body of an API response.
package struct APIAnswer: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// In which the memory of its document is reserved; nil for a program that reads one answer after the other.
    package var budget: ByteBudget?

    package init(status: Int, body: [UInt8], budget: ByteBudget? = nil) {
        self.status = status
        self.body = body
        self.budget = budget
    }
}

extension APIAnswer {
    package var isSuccess: Bool { 200..<300 ~= status }

    /// Returns the error for an unexpected status: one that brings no document and doesn't say that
    /// the document doesn't exist.
    func refusal(by host: HostPattern) -> Failure {
        .unavailable(reason: "\(host) answered \(status).")
    }
}
