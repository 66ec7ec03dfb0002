import FoundationEssentials
import HTTPTypes
import Pipeline

extension Answer {
    /// Itself, or 304 to a client that has it, told by its `ETag`. Conditions count only where the
    /// answer without them is a success (RFC 9110, section 13.2.1).
    func unlessKnown(to question: Question, lastModified: Date? = nil) -> Answer {
        let condition = ConditionalRequest(question.fields)
        guard status == .ok, let entityTag = fields[.eTag],
            condition.isNotModified(entityTag: entityTag, lastModified: lastModified)
        else { return self }
        return Answer(status: .notModified, fields: fields)
    }
}

/// Whether a client has the current representation already (RFC 9110, section 13). Pure.
struct ConditionalRequest: Sendable, Equatable {
    private let entityTags: String?
    private let modifiedSince: Date?

    init(_ fields: HTTPFields) {
        entityTags = fields[.ifNoneMatch]
        modifiedSince = fields[.ifModifiedSince].flatMap(HTTPDate.parse)
    }

    /// `entityTag` with its quotes. `If-Modified-Since` counts only without `If-None-Match`.
    func isNotModified(entityTag: String, lastModified: Date?) -> Bool {
        if let entityTags { return Self.matches(entityTags, entityTag) }
        guard let modifiedSince, let lastModified else { return false }
        return lastModified.timeIntervalSince1970.rounded(.down)
            <= modifiedSince.timeIntervalSince1970
    }

    /// Weak comparison, as `If-None-Match` wants it.
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
