import Foundation
import HTTPTypes
import PipelineSupport
import Serve
import Testing

/// Asks a responder of its own once.
func ask(
    _ harness: Harness, _ target: String, _ fields: HTTPFields = [:],
    method: HTTPRequest.Method = .get, authority: String? = nil,
    configuration: ServerConfiguration = .init()
) async -> Response {
    await Responder(harness.pipeline, configuration).answer(
        Request(method: method, target: target, fields: fields, authority: authority))
}

/// Returns the members of the object that a response has.
func json(_ answer: Response) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
}
