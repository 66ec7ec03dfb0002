import HTTPTypes
import Traces

/// Traces requests that wait for a miss. Hits are not traced.
struct RequestTracing: Sendable {
    let tracer: Tracer
    /// Of connections to this process.
    let scheme: String

    init?(_ configuration: ServerConfiguration) {
        guard let tracer = configuration.tracer else { return nil }
        self.tracer = tracer
        scheme = ServiceAddress(configuration).scheme
    }

    /// Ends the span of a request, with the attributes of OpenTelemetry's conventions for servers.
    func end(
        _ trace: RequestTrace, _ request: Request, path: String, _ answer: Response,
        _ identity: RequestIdentity
    ) {
        let method = request.method.rawValue
        let route = RequestMetrics.route(path)
        let status = answer.status.code
        trace.end(
            "\(method) \(route)",
            [
                "http.request.method": .text(method), "http.route": .text(route),
                "url.path": .text(String(RequestLog.shown(path))), "url.scheme": .text(scheme),
                "http.response.status_code": .number(status),
                "vitrine.cache": .text(RequestMetrics.cache(answer.fields[.cacheStatus])),
                "vitrine.request": .text(identity.id),
            ],
            error: status >= 500 ? SpanError(type: "\(status)") : nil)
    }
}
