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
