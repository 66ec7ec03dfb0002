import HTTP
import HTTPTypes
import PipelineSupport
import Serve

/// Asks the admin routes of a service of its own, as the operator.
struct AdminClient {
    static let token = "a token of its own"
    static let json: HTTPFields = [
        .authorization: "Bearer \(token)", .contentType: "application/json",
    ]

    let responder: Responder

    init(_ harness: Harness, token: String? = Self.token) {
        var configuration = ServerConfiguration()
        configuration.adminToken = token.flatMap { AdminToken($0) }
        responder = Responder(harness.pipeline, configuration)
    }

    func ask(
        _ method: HTTPRequest.Method, _ target: String, _ body: String = "",
        _ fields: HTTPFields = Self.json
    ) async -> Response {
        let bytes = Array(body.utf8)
        return await responder.answer(
            Request(method: method, target: target, fields: fields) { limit in
                bytes.count > limit ? .tooLong : .whole(bytes)
            })
    }
}
