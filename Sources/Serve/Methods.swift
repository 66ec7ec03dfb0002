import HTTPTypes

/// Responses that depend only on the request's method.
enum Methods {
    /// The methods of RFC 9110, PATCH and QUERY. Any other method is answered 501. One of these is
    /// answered 405 if a route doesn't allow it.
    static let known: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "QUERY", "TRACE",
    ]

    /// The methods that some route allows, besides OPTIONS.
    static let possible: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete]

    /// `GET, HEAD, … and OPTIONS`, for a sentence.
    static var possibleText: String {
        possible.map(\.rawValue).joined(separator: ", ") + " and OPTIONS"
    }

    /// Returns the response to OPTIONS, including CORS preflight: pages of other origins may read
    /// public routes.
    static func options(_ route: Route) -> Response {
        let allowed = list(route.methods)
        if route.isPrivate { return Response(status: .noContent, fields: [.allow: allowed]) }
        return Response(
            status: .noContent,
            fields: [
                .allow: allowed, .accessControlAllowOrigin: "*",
                .accessControlAllowMethods: list(
                    route.methods.filter { $0 == .get || $0 == .head }),
                .accessControlAllowHeaders:
                    "Accept, Accept-Language, If-Modified-Since, If-None-Match, If-Range, Range, "
                    + "traceparent, tracestate",
                .accessControlMaxAge: "86400",
            ])
    }

    /// Returns the response to `OPTIONS *`.
    static func wholeServer(_ method: HTTPRequest.Method) -> Response {
        guard method == .options else { return notAllowed(method, []) }
        return Response(status: .noContent, fields: [.allow: list(possible)])
    }

    static func notAllowed(
        _ method: HTTPRequest.Method, _ possible: [HTTPRequest.Method]
    ) -> Response {
        let allowed = list(possible)
        return Problem(
            status: .methodNotAllowed, name: "method-not-allowed", title: "Method not allowed",
            detail: "\(method.rawValue) is not possible here; possible are \(allowed).",
            fields: [.allow: allowed]
        ).answer
    }

    static func unknown(_ method: HTTPRequest.Method) -> Response {
        Problem(
            status: .notImplemented, name: "unknown-method", title: "Unknown method",
            detail: "Method \(method.rawValue) is not supported; supported are \(possibleText)."
        ).answer
    }

    private static func list(_ methods: [HTTPRequest.Method]) -> String {
        (methods + [.options]).map(\.rawValue).joined(separator: ", ")
    }
}
