package import HTTPTypes
package import Store

/// What goes back to a client: status, header fields, bytes. Knows no server package's types.
package struct Answer: Sendable {
    package var status: HTTPResponse.Status
    package var fields: HTTPFields
    package var body: [UInt8]
    /// Sent instead of `body`: parts of a stored blob.
    var file: FileBody?
    /// Why the service failed, for its log alone: it may name paths.
    package var cause: String?

    package init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension Answer {
    /// Bytes of the body that a GET gets.
    package var length: Int { file?.length ?? body.count }

    /// Returns the whole body; for answers that go over no connection.
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

/// A body made of parts of a stored blob, and of text between them.
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

    /// Nil for an answer whose body is not sent.
    let blob: OpenBlob?
    let parts: [Part]

    var length: Int { parts.reduce(0) { $0 + $1.count } }
}

/// What a client asked, as far as answers depend on it.
package struct Question: Sendable {
    package var method: HTTPRequest.Method
    /// Path and query as sent, `/v1/tvmaze/shows?page=0`.
    package var target: String
    package var fields: HTTPFields
    /// `Host`, or what HTTP/2 has in its place; `nil` where the client named none.
    package var authority: String?
    /// Reads the body, of which no more than that is taken. Once.
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

/// What came of the body of a request.
package enum RequestBody: Sendable {
    case whole([UInt8])
    case tooLong
    /// Cut off, or not framed as HTTP frames bodies.
    case broken
}
