package import HTTPTypes
package import HitServer

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
    /// Parses a head that was read strictly (``RequestScan``). Returns nil if a field's name can't be one.
    init?(head: some Collection<UInt8>, isVersion10: Bool = false) {
        func text(_ bytes: some Collection<UInt8>) -> String {
            String(decoding: bytes, as: UTF8.self)
        }
        let (blank, colon) = (UInt8(ascii: " "), UInt8(ascii: ":"))
        var lines = head.split(separator: UInt8(ascii: "\n"))[...]
        // Empty lines before a request are forgiven (RFC 9112, section 2.2).
        lines = lines.drop { $0.count < 2 }
        guard let words = lines.popFirst()?.split(separator: blank), words.count == 3,
            let method = HTTPRequest.Method(text(words[0]))
        else { return nil }
        var fields = HTTPFields()
        var hosts: [String] = []
        for line in lines {
            let line = line.dropLast()
            if line.isEmpty { break }
            guard let end = line.firstIndex(of: colon),
                let name = HTTPField.Name(text(line[..<end]))
            else { return nil }
            let isBlank = { (byte: UInt8) in byte == blank || byte == UInt8(ascii: "\t") }
            let rest = line[line.index(after: end)...].drop(while: isBlank)
            let count = rest.reversed().drop(while: isBlank).count
            let value = text(rest.prefix(count))
            if name.canonicalName == "host" {
                hosts.append(value)
            } else {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        self.init(method: method, target: text(words[1]), fields: fields, authority: hosts.first)
        hasHost = isVersion10 || hosts.count == 1 && hosts.first != ""
    }

    /// The target without its query; `/` for one that is none.
    var path: String {
        guard let target = try? RequestTarget(target, maxBytes: .max) else { return "/" }
        return String(target.path)
    }
}
