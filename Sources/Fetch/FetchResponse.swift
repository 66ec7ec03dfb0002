package import Memory

/// The final answer of an origin, and how it came.
package struct FetchResponse: Sendable {
    package var status: Int
    /// Header fields of the final answer in their order, names as sent.
    package var headers: [(name: String, value: String)]
    /// The whole body; empty for 304. Its length was checked against `Content-Length`.
    package var body: [UInt8]
    /// The body's room in the request's budget: to be kept as long as the body.
    package var hold: ByteBudget.Hold?
    /// The URL that answered, after redirects.
    package var url: String
    /// Every attempt, the successful one last. Never empty.
    package var attempts: [FetchAttempt]
    /// Times of the last attempt.
    package var timings: FetchTimings

    package init(
        status: Int, headers: [(name: String, value: String)], body: [UInt8],
        hold: ByteBudget.Hold? = nil, url: String, attempts: [FetchAttempt], timings: FetchTimings
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.hold = hold
        self.url = url
        self.attempts = attempts
        self.timings = timings
    }

    /// The first field of that name, compared without case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }

    /// `ETag` and `Last-Modified` of the answer.
    package var validators: Validators {
        Validators(entityTag: header("etag"), lastModified: header("last-modified"))
    }
}

/// One try of a request: what came, and how long was waited afterwards.
package struct FetchAttempt: Sendable, Equatable {
    /// Status, or `nil` where the transfer failed.
    package var status: Int?
    /// Why the transfer failed, in words, without secrets.
    package var failure: String?
    package var duration: Duration
    /// Pause before the next attempt; zero for the last.
    package var pause: Duration

    package init(status: Int?, failure: String?, duration: Duration, pause: Duration) {
        self.status = status
        self.failure = failure
        self.duration = duration
        self.pause = pause
    }
}

/// Times of one transfer, each from its start (libcurl's `CURLINFO_*_TIME_T`).
package struct FetchTimings: Sendable {
    /// In this process's queue for its host, before the transfer started.
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
