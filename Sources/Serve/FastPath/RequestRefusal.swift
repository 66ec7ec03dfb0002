import FoundationEssentials
import HTTPTypes

/// Why a request is refused before anything is routed.
enum RequestRefusal: Error, Equatable {
    case targetTooLong(limit: Int)
    case headTooLarge(limit: Int)
    case tooSlow
    case bodyTooSlow
    case notHTTP
    case malformed(Fault)
    /// A transfer coding other than `chunked`.
    case unknownCoding
    /// A version of HTTP other than 1.0 and 1.1.
    case unknownVersion

    /// What makes a head unreadable.
    enum Fault {
        case lineEnd, requestLine, fieldName, foldedField, fieldValue, contentLength
        case transferEncoding

        var sentence: String {
            switch self {
            case .lineEnd: "A line of the header does not end with CR LF."
            case .requestLine:
                "The request line is not a method, a target and a version with one space between."
            case .fieldName: "A header field has no name, or its name is not followed by a colon."
            case .foldedField: "A header field goes on in a second line, which HTTP/1.1 forbids."
            case .fieldValue: "A header field has a control character in its value."
            case .contentLength: "Content-Length is not one number of at most 15 digits."
            case .transferEncoding:
                "Transfer-Encoding has to end with chunked, named once, in HTTP/1.1 and without "
                    + "Content-Length."
            }
        }
    }

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
        case .bodyTooSlow:
            Problem(
                status: .requestTimeout, name: "request-too-slow", title: "Request too slow",
                detail: "The body of the request came too slowly; send it again.")
        case .malformed(let fault):
            Problem(
                status: .badRequest, name: "unreadable-request", title: "Unreadable request",
                detail: fault.sentence)
        case .unknownCoding:
            Problem(
                status: .notImplemented, name: "unknown-coding", title: "Unknown transfer coding",
                detail: "The only transfer coding that is known here is chunked.")
        case .unknownVersion:
            Problem(
                status: .httpVersionNotSupported, name: "unknown-version",
                title: "Unknown HTTP version",
                detail: "Requests without TLS are read as HTTP/1.1 or HTTP/1.0.")
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
