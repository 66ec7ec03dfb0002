import HTTPTypes
import JSON

/// A problem document (RFC 9457): what is wrong and what to do, in one sentence.
struct Problem: Error, Equatable {
    var status: HTTPResponse.Status
    /// Last part of its `type`. It is stable, so that programs can rely on it.
    var name: String
    var title: String
    var detail: String
    /// What went wrong, for readers who know nothing of origins and protocols; nil for ``detail``.
    var message: String?
    /// Name of the source that it is about.
    var source: String?
    /// `Retry-After` in seconds; nil if a retry can't help, or the time is not known.
    var retryAfter: Int?
    /// Further fields, such as `Allow` of a 405.
    var fields: HTTPFields = [:]
    /// For the log alone.
    var cause: String?

    var answer: Response {
        var fields: HTTPFields = [
            .contentType: "application/problem+json",
            .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
            .accessControlAllowOrigin: "*", .accessControlExposeHeaders: HTTPFields.exposed,
        ]
        if let retryAfter { fields[.retryAfter] = "\(max(1, retryAfter))" }
        fields.append(contentsOf: self.fields)
        var document: JSON = [
            "type": "urn:vitrine:problem:\(name)", "title": .text(title),
            "status": .integer(status.code), "detail": .text(detail),
            "message": .text(message ?? detail),
            "retryAfter": JSON(retryAfter.map { max(1, $0) }),
        ]
        document.add("source", source.map(JSON.text))
        var answer = Response(status: status, fields: fields, body: document.sortedBytes)
        answer.cause = cause
        return answer
    }
}
