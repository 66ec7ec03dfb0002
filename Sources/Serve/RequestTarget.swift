/// The target of a request as sent (RFC 9112, section 3.2), split before routing. Pure.
struct RequestTarget: Sendable, Equatable {
    let path: Substring
    /// The query without the question mark; empty if the target has no query.
    let query: Substring
    /// Whether the target is `*`, the server as a whole. Only OPTIONS allows it.
    let isWholeServer: Bool

    /// Parses a path, `*`, or an absolute URL, whose scheme and authority are dropped.
    ///
    /// - Throws: ``Route/Failure/tooLong(limit:)`` or ``Route/Failure/malformed(reason:)``.
    init(_ target: String, maxBytes: Int) throws(Route.Failure) {
        guard target.utf8.count <= maxBytes else { throw .tooLong(limit: maxBytes) }
        // Clients must percent-encode non-ASCII. Bytes that are not UTF-8 arrive here as U+FFFD.
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            throw .malformed(
                reason: "The target must be ASCII without spaces and “#”; percent-encode the rest.")
        }
        let rest = Self.withoutOrigin(target[...])
        isWholeServer = rest == "*"
        guard rest.hasPrefix("/") || isWholeServer else {
            throw .malformed(reason: Self.form)
        }
        let halves = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = halves.first ?? rest
        query = halves.count > 1 ? halves[1] : ""
    }

    static let form = "A request has one Host field, and a target that begins with “/”."

    private static func withoutOrigin(_ target: Substring) -> Substring {
        for scheme in ["http://", "https://"]
        where target.prefix(scheme.count).lowercased() == scheme {
            let authority = target.dropFirst(scheme.count)
            guard let end = authority.firstIndex(where: { $0 == "/" || $0 == "?" }) else {
                return "/"
            }
            return authority[end] == "/" ? authority[end...] : "/" + authority[end...]
        }
        return target
    }
}
