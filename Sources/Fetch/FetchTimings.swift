/// Times of one transfer, measured from its start (libcurl's `CURLINFO_*_TIME_T`).
package struct FetchTimings: Sendable {
    /// Time in the host's queue before the transfer started.
    package var queued: Duration = .zero
    package var nameLookup: Duration = .zero
    package var connect: Duration = .zero
    package var appConnect: Duration = .zero
    package var startTransfer: Duration = .zero
    package var total: Duration = .zero
    package var reusedConnection = false
    /// `"1.1"`, `"2"`.
    package var httpVersion = ""
    package var address = ""

    package init() {}
}
