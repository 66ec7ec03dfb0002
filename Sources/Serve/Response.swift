package import HTTPTypes
import JSON
package import Store

/// A response: status, header fields and body. Independent of the server package.
package struct Response: Sendable {
    package var status: HTTPResponse.Status
    package var fields: HTTPFields
    package var body: [UInt8]
    /// Parts of a stored blob that are sent instead of `body`.
    var file: FileBody?
    /// Pieces that are sent as they come, instead of `body`. The response then has no length.
    var events: EventBody?
    /// Why the service failed. For the log only, because it may contain paths.
    package var cause: String?

    package init(status: HTTPResponse.Status, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

extension Response {
    /// Returns what can change at any time, so that caches must not store it.
    static func unstored(
        type: String?, _ body: [UInt8] = [], _ status: HTTPResponse.Status = .ok
    ) -> Response {
        var fields: HTTPFields = [.cacheControl: "no-store", .xContentTypeOptions: "nosniff"]
        fields[.contentType] = type
        return Response(status: status, fields: fields, body: body)
    }

    /// Returns a JSON document that can change at any time.
    static func unstored(
        _ document: JSON, _ status: HTTPResponse.Status = .ok
    ) -> Response { unstored(type: "application/json", document.sortedBytes, status) }

    /// Bytes of the body in response to GET.
    package var length: Int { file?.length ?? body.count }

    /// Returns the whole body, for responses without a connection.
    package func collected() async throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        if let events {
            for await piece in events.pieces() { bytes += piece }
            return bytes
        }
        guard let file, let blob = file.blob else { return body }
        for part in file.parts {
            switch part {
            case .text(let text): bytes += text
            case .range(let range): bytes += try await blob.read(range)
            }
        }
        return bytes
    }
}
