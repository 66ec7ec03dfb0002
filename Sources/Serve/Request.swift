package import HTTPTypes

/// A request, as far as responses depend on it.
package struct Request: Sendable {
    package var method: HTTPRequest.Method
    /// Path and query as sent, `/v1/tvmaze/shows?page=0`.
    package var target: String
    package var fields: HTTPFields
    /// `Host`, or `:authority` of HTTP/2; nil if the client sent neither.
    package var authority: String?
    /// Reads the body up to a limit. Call it once.
    package var body: @Sendable (_ limit: Int) async -> RequestBody

    package init(
        method: HTTPRequest.Method, target: String, fields: HTTPFields, authority: String? = nil,
        body: @escaping @Sendable (_ limit: Int) async -> RequestBody = { _ in .whole([]) }
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.authority = authority
        self.body = body
    }
}

/// The body of a request.
package enum RequestBody: Sendable {
    case whole([UInt8])
    case tooLong
    /// The body is incomplete or its framing is broken.
    case broken
}
