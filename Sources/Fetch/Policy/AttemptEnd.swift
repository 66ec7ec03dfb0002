/// The result of one attempt, reduced to what matters for a retry.
struct AttemptEnd: Equatable {
    var isRetryable: Bool
    /// The pause that the origin wants; `nil` if it named none.
    var retryAfter: Duration?

    /// A result that another attempt can't change.
    static let final = AttemptEnd(isRetryable: false)

    private init(isRetryable: Bool) {
        self.isRetryable = isRetryable
    }

    init(status: Int, retryAfter: Duration?) {
        isRetryable = [408, 425, 429].contains(status) || (500...599).contains(status)
        self.retryAfter = retryAfter
    }

    init(failure: TransferFailure) {
        isRetryable = failure.isRetryable
    }
}
