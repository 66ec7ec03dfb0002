import HTTPTypes

/// A problem document (RFC 9457): what is wrong and what to do, in one sentence.
struct Problem: Sendable, Equatable {
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
    /// Value of `Allow` for a 405.
    var allow: String?
    /// `WWW-Authenticate` of a 401.
    var authenticate: String?
    /// For the log alone.
    var cause: String?

    private struct Document: Encodable {
        var type: String
        var title: String
        var status: Int
        var detail: String
        var message: String
        var source: String?
        @Nullable var retryAfter: Int?
    }

    var answer: Response {
        var fields: HTTPFields = [
            .contentType: "application/problem+json",
            .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
            .accessControlAllowOrigin: "*",
        ]
        if let retryAfter { fields[.retryAfter] = "\(max(1, retryAfter))" }
        if let allow { fields[.allow] = allow }
        if let authenticate { fields[.wwwAuthenticate] = authenticate }
        let document = Document(
            type: "urn:vitrine:problem:\(name)", title: title, status: status.code,
            detail: detail, message: message ?? detail, source: source,
            retryAfter: retryAfter.map { max(1, $0) })
        var answer = Response(status: status, fields: fields, body: JSON.encode(document))
        answer.cause = cause
        return answer
    }
}
