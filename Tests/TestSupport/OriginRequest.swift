/// A request as the origin read it.
package struct OriginRequest: Sendable {
    package var method: String
    /// From `Host` or `:authority`, lower case, without port.
    package var host: String
    /// Without query.
    package var path: String
    /// The text after the question mark; `nil` without one.
    package var query: String?
    /// In their order, names in lower case.
    package var headers: [(name: String, value: String)]
    package var body: [UInt8]
    /// The number of its connection, from 1.
    package var connection: Int
    /// `"1.1"` or `"2"`.
    package var httpVersion: String

    init(
        method: String, authority: String, target: String,
        headers: [(name: String, value: String)], body: [UInt8], connection: Int,
        httpVersion: String
    ) {
        self.method = method
        let port = authority.lastIndex(of: ":")
        host = authority[
            ..<(authority.hasSuffix("]") ? authority.endIndex : port ?? authority.endIndex)
        ]
        .lowercased()
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map(String.init) ?? ""
        query = parts.count > 1 ? String(parts[1]) : nil
        self.headers = headers
        self.body = body
        self.connection = connection
        self.httpVersion = httpVersion
    }

    /// The first field of that name, given in lower case.
    package func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// The value of a query field, still percent-encoded.
    package func field(_ name: String) -> String? {
        query?.split(separator: "&").first { $0.hasPrefix("\(name)=") }
            .map { String($0.dropFirst(name.count + 1)) }
    }
}
