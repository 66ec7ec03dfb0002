import HTTPTypes
import JSON

/// One path of the document, with its operations.
struct OpenAPIOperation: Sendable {
    /// Path template, such as `/t/{level}/tvmaze/show/{id}`.
    var path: String
    var summary: String
    var parameters: [JSON] = []
    /// Schemas of a successful response by media type. An empty schema means bytes.
    var content: [String: JSON]
    /// Other success statuses besides 200, without a body except for 206.
    var alsoGood: [Int] = []
    /// Statuses whose body is a problem document.
    var problems: [Int]
    /// Schema of a POST body.
    var body: JSON?
    /// Success status of POST.
    var accepted = 200
    /// Success statuses of PUT and DELETE, whose responses have the content; nil for 201 and 204 without one.
    var changed: [Int]?
    var needsBody = true
    /// Whether a missing picture is answered with the placeholder.
    var hasPlaceholder = false

    /// The methods of the route. HEAD is described like GET.
    var methods: [HTTPRequest.Method] { route?.methods ?? [.get, .head] }

    /// The route of its path; nil if a template of it can't be read.
    var route: Route? {
        // A template has no digest.
        let digest = "sha256-" + String(repeating: "0", count: 64)
        return try? Route(path: path.replacing("{digest}", with: digest)[...])
    }

    var json: JSON {
        .object(methods.map { .init($0.rawValue.lowercased(), operation($0)) })
    }

    private func operation(_ method: HTTPRequest.Method) -> JSON {
        var operation: JSON = [
            "summary": .text(summary), "responses": JSON(responses(method)),
        ]
        if let body, method == .post || method == .put {
            operation.add(
                "requestBody",
                [
                    "required": .flag(needsBody),
                    "content": ["application/json": ["schema": body]],
                ])
        }
        // Query parameters concern what is shown, so only GET and HEAD have them.
        let isShown = method == .get || method == .head
        let parameters = parameters.filter { isShown || $0["in"] == "path" }
        if !parameters.isEmpty { operation.add("parameters", .list(parameters)) }
        return operation
    }

    private func responses(_ method: HTTPRequest.Method) -> [String: JSON] {
        var responses: [String: JSON] = [:]
        for status in problems {
            var content = Self.problem
            // The placeholder has the true status. A client that accepts no image gets the problem
            // document.
            if hasPlaceholder, [403, 404, 410, 415, 451, 502, 504].contains(status) {
                content.merge(self.content) { problem, _ in problem }
            }
            responses["\(status)"] = response(status, method == .head ? [:] : content)
        }
        if let changed, method == .put || method == .delete {
            for status in changed { responses["\(status)"] = response(status, content) }
            return responses
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

    private func response(_ status: Int, _ content: [String: JSON]) -> JSON {
        var response: JSON = [
            "description": .text(HTTPResponse.Status(code: status).reasonPhrase)
        ]
        if !content.isEmpty {
            response.add(
                "content", JSON(content.mapValues { $0 == [:] ? [:] : ["schema": $0] }))
        }
        return response
    }

    private static let problem = [
        "application/problem+json": OpenAPISchemas.reference("Problem")
    ]
}
