import Foundation
import HTTPTypes
import PipelineSupport
import Testing

@testable import Serve

/// Asks for user data as a client of this machine.
struct UserDataClient {
    static let token = "a token of its own"
    static let favorite = "/v1/favorites/tvmaze/show/1"

    func ask(
        _ harness: Harness, _ target: String, _ fields: HTTPFields = [:],
        method: HTTPRequest.Method = .get, authority: String? = "127.0.0.1:8080",
        adjust: (inout ServerConfiguration) -> Void = { _ in }
    ) async -> Response {
        var configuration = ServerConfiguration()
        configuration.adminToken = AdminToken(Self.token)
        adjust(&configuration)
        return await Responder(harness.pipeline, configuration).answer(
            Request(method: method, target: target, fields: fields, authority: authority))
    }

    func json(_ answer: Response) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    func field(_ name: String) throws -> HTTPField.Name {
        try #require(HTTPField.Name(name))
    }
}
