package import HTTPTypes
package import Store

/// A response: status, header fields and body. Independent of the server package.
package struct Response: Sendable {
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

extension Response {
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
