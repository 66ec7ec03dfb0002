import FoundationEssentials
import HTTPTypes

/// Why a request is refused before anything is routed.
enum RequestRefusal {
    case targetTooLong(limit: Int)
    case headTooLarge(limit: Int)
    case tooSlow
    case notHTTP

    var problem: Problem {
        switch self {
        case .targetTooLong(let limit):
            Problem(
                status: .uriTooLong, name: "target-too-long", title: "URI too long",
                detail: "The request target has more than \(limit) bytes.")
        case .headTooLarge(let limit):
            Problem(
                status: .requestHeaderFieldsTooLarge, name: "header-too-large",
                title: "Header too large",
                detail: "The request line and header fields have more than \(limit) bytes.")
        case .tooSlow:
            Problem(
                status: .requestTimeout, name: "request-too-slow", title: "Request too slow",
                detail: "The request did not arrive in time; send it again.")
        case .notHTTP:
            Problem(
                status: .badRequest, name: "not-http", title: "Not HTTP",
                detail: "What was sent does not begin as an HTTP/1.1 request does.")
        }
    }

    /// The whole answer, after which the connection closes.
    func bytes(_ now: Date, _ identity: RequestIdentity) -> [UInt8] {
        let answer = problem.answer
        var fields = answer.fields
        fields[.xRequestID] = identity.id
        fields[.contentLength] = "\(answer.body.count)"
        fields[.connection] = "close"
        let status = answer.status
        return Array("HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\n".utf8)
            + PreparedHit.lines(fields) + PreparedHit.lines(CommonFields.of(now))
            + Array("\r\n".utf8) + answer.body
    }
}
