package import Memory

/// The final response of an origin, and its attempts.
package struct FetchResponse: Sendable {
    package var status: Int
    /// Header fields of the final response in their order, names as sent.
    package var headers: [(name: String, value: String)]
    /// The whole body; empty for 304. Its length was checked against `Content-Length`.
    package var body: [UInt8]
    /// The body's reservation in the request's budget. Keep it as long as the body.
    package var hold: ByteBudget.Hold?
    /// The URL that responded, after redirects.
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

    /// Returns the first field of a name, ignoring case.
    package func header(_ name: String) -> String? {
        let wanted = name.lowercased()
        return headers.first { $0.name.lowercased() == wanted }?.value
    }

    /// Returns all fields of a name as one, separated by commas (RFC 9110, section 5.3); nil without any.
    package func list(_ name: String) -> String? {
        let wanted = name.lowercased()
        let values = headers.filter { $0.name.lowercased() == wanted }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// `ETag` and `Last-Modified` of the response.
    package var validators: Validators {
        Validators(entityTag: header("etag"), lastModified: header("last-modified"))
    }
}
