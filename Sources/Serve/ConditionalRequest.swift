import FoundationEssentials
import HTTPTypes
import Hashing

extension Response {
    /// Returns this response, or 304 if the client has the same `ETag`.
    ///
    /// Conditions apply only if the response would be a success without them (RFC 9110, section
    /// 13.2.1).
    func unlessKnown(to request: Request, lastModified: Date? = nil) -> Response {
        let condition = ConditionalRequest(request.fields)
        guard status == .ok, let entityTag = fields[.eTag],
            condition.isNotModified(entityTag: entityTag, lastModified: lastModified)
        else { return self }
        return Response(status: .notModified, fields: fields)
    }
}

/// Decides whether a client already has the current representation (RFC 9110, section 13). Pure.
struct ConditionalRequest: Sendable, Equatable {
    private let entityTags: String?
    private let modifiedSince: Date?

    init(_ fields: HTTPFields) {
        entityTags = fields[.ifNoneMatch]
        modifiedSince = fields[.ifModifiedSince].flatMap { HTTPDate.parse($0) }
    }

    /// Returns whether the client's copy is current. `If-Modified-Since` counts only without
    /// `If-None-Match`.
    ///
    /// - Parameter entityTag: the current tag, with its quotes.
    func isNotModified(entityTag: String, lastModified: Date?) -> Bool {
        if let entityTags { return Self.matches(entityTags, entityTag) }
        guard let modifiedSince, let lastModified else { return false }
        return lastModified.timeIntervalSince1970.rounded(.down)
            <= modifiedSince.timeIntervalSince1970
    }

    /// Compares weakly, as `If-None-Match` requires.
    private static func matches(_ list: String, _ entityTag: String) -> Bool {
        list.split(separator: ",").contains { candidate in
            var tag = candidate.drop { $0 == " " || $0 == "\t" }
            while tag.last == " " || tag.last == "\t" { tag.removeLast() }
            if tag == "*" { return true }
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            return tag == entityTag
        }
    }
}
