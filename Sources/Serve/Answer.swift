package import HTTPTypes

/// What goes back to a client: status, header fields, bytes. Knows no server package's types.
package struct Answer: Sendable {
    package var status: HTTPResponse.Status
    package var fields: HTTPFields
    package var body: [UInt8]
    /// Why the service failed, for its log alone: it may name paths.
    package var cause: String?

    package init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// What a client asked, as far as answers depend on it.
package struct Question: Sendable {
    package var method: HTTPRequest.Method
    /// Path and query as sent, `/v1/tvmaze/shows?page=0`.
    package var target: String
    package var fields: HTTPFields
    /// Reads the body, of which no more than that is taken. Once.
    package var body: @Sendable (_ limit: Int) async -> RequestBody

    package init(
        method: HTTPRequest.Method, target: String, fields: HTTPFields,
        body: @escaping @Sendable (_ limit: Int) async -> RequestBody = { _ in .whole([]) }
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }
}

/// What came of the body of a request.
package enum RequestBody: Sendable {
    case whole([UInt8])
    case tooLong
    /// Cut off, or not framed as HTTP frames bodies.
    case broken
}
