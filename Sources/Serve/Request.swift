package import HTTP
package import HTTPTypes

/// A request, as far as responses depend on it.
package struct Request: Sendable {
    package var method: HTTPRequest.Method
    /// Path and query as sent, `/v1/tvmaze/shows?page=0`.
    package var target: String
    package var fields: HTTPFields
    /// `Host`, or `:authority` of HTTP/2; nil if the client sent neither.
    package var authority: String?
    /// Whether it names one host, as HTTP/1.1 requires (RFC 9112, section 3.2).
    var hasHost = true
    /// Whether it came over HTTP/1.0, as from proxies that are not told otherwise.
    var isVersion10 = false
    /// Reads the body up to a limit. Call it once.
    package var body: @Sendable (_ limit: Int) async -> RequestBody

    package init(
        method: HTTPRequest.Method, target: String, fields: HTTPFields, authority: String? = nil,
        body: @escaping @Sendable (_ limit: Int) async -> RequestBody = { _ in .whole([]) }
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.authority = authority
        self.body = body
    }
}

extension Request {
    /// Returns nil if a field's name can't be one.
    init?(head: RequestHead, isVersion10: Bool = false) {
        guard let method = HTTPRequest.Method(head.method) else { return nil }
        var fields = HTTPFields()
        var hosts: [String] = []
        for (text, value) in head.fields {
            guard let name = HTTPField.Name(text) else { return nil }
            if name.canonicalName == "host" {
                hosts.append(value)
            } else {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        self.init(method: method, target: head.target, fields: fields, authority: hosts.first)
        hasHost = isVersion10 || hosts.count == 1 && hosts.first != ""
        self.isVersion10 = isVersion10
    }

    /// Returns the content type of a document: JSON-LD with that context if the client asks for JSON-LD by
    /// name, else JSON.
    ///
    /// - Parameter context: nil names none.
    func jsonType(context: String?) -> String {
        guard fields[.accept]?.lowercased().contains("application/ld+json") == true else {
            return "application/json"
        }
        return "application/ld+json" + (context.map { ";profile=\"\($0)\"" } ?? "")
    }

    /// The target without its query; `/` for one that is none.
    var path: String {
        guard let target = try? RequestTarget(target, maxBytes: .max) else { return "/" }
        return String(target.path)
    }
}
