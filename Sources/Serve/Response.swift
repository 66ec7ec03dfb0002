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
    /// Returns pieces that are sent as they come, instead of `body`. Called once. The response then has no
    /// length.
    var events: (@Sendable () -> AsyncStream<[UInt8]>)?
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

    private static let eventType = "text/event-stream"
    /// Ends server-sent events: a comment, which clients ignore.
    static let endOfEvents = Array(":\n\n".utf8)

    /// Returns server-sent events.
    ///
    /// - Parameter pieces: returns the events from now on.
    static func events(_ pieces: @escaping @Sendable () -> AsyncStream<[UInt8]>) -> Response {
        var answer = unstored(type: eventType)
        answer.events = pieces
        return answer
    }

    static func wantsEvents(_ request: Request) -> Bool {
        request.fields[.accept]?.lowercased().contains(eventType) == true
    }

    /// Returns an event with the bytes of a JSON document.
    static func event(_ name: String, _ document: [UInt8]) -> [UInt8] {
        Array("event: \(name)\ndata: ".utf8) + document + Array("\n\n".utf8)
    }

    /// Bytes of the body in response to GET.
    package var length: Int { file?.length ?? body.count }

    /// Returns the whole body, for responses without a connection.
    package func collected() async throws(StoreError) -> [UInt8] {
        var bytes: [UInt8] = []
        if let events {
            for await piece in events() { bytes += piece }
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
