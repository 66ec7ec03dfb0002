package import HTTPTypes
package import Store

/// A response: status, header fields and body. Independent of the server package.
package struct Answer: Sendable {
    package var status: HTTPResponse.Status
    package var fields: HTTPFields
    package var body: [UInt8]
    /// Parts of a stored blob that are sent instead of `body`.
    var file: FileBody?
    /// Why the service failed. For the log only, because it may contain paths.
    package var cause: String?

    package init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension Answer {
    /// Bytes of the body in response to GET.
    package var length: Int { file?.length ?? body.count }

    /// Returns the whole body, for responses without a connection.
    package func collected() async throws(StoreError) -> [UInt8] {
        guard let file, let blob = file.blob else { return body }
        var bytes: [UInt8] = []
        for part in file.parts {
            switch part {
            case .text(let text): bytes += text
            case .range(let range): bytes += try await blob.read(range)
            }
        }
        return bytes
    }
}

/// A body made of parts of a stored blob and text between them.
struct FileBody: Sendable {
    enum Part: Sendable {
        case text([UInt8])
        case range(Range<Int>)

        var count: Int {
            switch self {
            case .text(let bytes): bytes.count
            case .range(let range): range.count
            }
        }
    }

    /// nil if the body is not sent.
    let blob: OpenBlob?
    let parts: [Part]

    var length: Int { parts.reduce(0) { $0 + $1.count } }
}

/// A request, as far as responses depend on it.
package struct Question: Sendable {
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
