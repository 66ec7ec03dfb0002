import HTTPTypes

/// One path of the document, with all that can be done there.
struct OpenAPIOperation: Sendable {
    /// `/t/{level}/tvmaze/show/{id}`.
    var path: String
    var summary: String
    /// As the route has them; HEAD is written like GET.
    var methods: [HTTPRequest.Method]
    var parameters: [JSONValue] = []
    /// Media types of a good answer, with their schemas; an empty schema is bytes.
    var content: [String: JSONValue]
    /// Statuses of good answers without a body, besides 200.
    var alsoGood: [Int] = []
    /// Statuses that come with a problem document.
    var problems: [Int]
    /// Schema of what is sent along with POST.
    var body: JSONValue?
    /// Status of a good answer to POST.
    var accepted = 200
    /// Whether the placeholder stands in for a picture that is not there.
    var hasPlaceholder = false

    var json: JSONValue {
        var members: [String: JSONValue] = [:]
        for method in methods {
            members[method.rawValue.lowercased()] = operation(method)
        }
        return .object(members)
    }

    private func operation(_ method: HTTPRequest.Method) -> JSONValue {
        var operation: [String: JSONValue] = [
            "summary": .text(summary), "responses": .object(responses(method)),
        ]
        if let body, method == .post {
            operation["requestBody"] = [
                "required": true, "content": ["application/json": ["schema": body]],
            ]
        }
        // What is only said of an item's look does not matter where nothing is shown.
        let isShown = method == .get || method == .head
        let parameters = parameters.filter { isShown || $0["in"] == "path" }
        if !parameters.isEmpty { operation["parameters"] = .list(parameters) }
        return .object(operation)
    }

    private func responses(_ method: HTTPRequest.Method) -> [String: JSONValue] {
        var responses: [String: JSONValue] = [:]
        for status in problems {
            var content = Self.problem
            // The placeholder has the true status; a client that takes no image gets the problem.
            if hasPlaceholder, [403, 404, 415, 502, 504].contains(status) {
                content.merge(self.content) { problem, _ in problem }
            }
            responses["\(status)"] = response(status, method == .head ? [:] : content)
        }
        switch method {
        case .get, .head: responses["200"] = response(200, method == .head ? [:] : content)
        case .post: responses["\(accepted)"] = response(accepted, content)
        case .put: responses["201"] = response(201, [:])
        default: break
        }
        for status in method == .put || method == .delete ? [204] : alsoGood {
            responses["\(status)"] = response(status, status == 206 ? content : [:])
        }
        return responses
    }

    private func response(_ status: Int, _ content: [String: JSONValue]) -> JSONValue {
        var response: [String: JSONValue] = [
            "description": .text(HTTPResponse.Status(code: status).reasonPhrase)
        ]
        if !content.isEmpty {
            response["content"] = .object(
                content.mapValues { $0 == [:] ? [:] : ["schema": $0] })
        }
        return .object(response)
    }

    private static let problem = [
        "application/problem+json": OpenAPISchemas.reference("Problem")
    ]
}
