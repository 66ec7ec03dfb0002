import FoundationEssentials
import HTTP
import HTTPTypes

extension RequestRefusal {
    var problem: Problem {
        switch self {
        case .targetTooLong(let limit): ErrorResponse.problem(.tooLong(limit: limit))
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
        case .unreadable(let fault): fault.problem
        case .notHTTP:
            Problem(
                status: .badRequest, name: "not-http", title: "Not HTTP",
                detail: "The bytes are not an HTTP/1.1 request.")
        case .tls:
            Problem(
                status: .badRequest, name: "not-http", title: "TLS on a plain port",
                detail: "This address answers http:// only.")
        case .overloaded:
            Problem(
                status: .serviceUnavailable, name: "overloaded", title: "Overloaded",
                detail: "Too many requests are being answered; try again in a moment.",
                retryAfter: 1)
        }
    }

    private static let overload = RequestRefusal.overloaded.problem.answer

    func response(
        _ now: Date, _ identity: RequestIdentity
    ) -> (head: ResponseHead, body: [UInt8]) {
        // A burst of these must cost little.
        var answer = self == .overloaded ? Self.overload : problem.answer
        answer.fields[.xRequestID] = identity.id
        answer.fields[.contentLength] = "\(answer.body.count)"
        for field in HTTPFields.common(at: now) { answer.fields[field.name] = field.value }
        return (ResponseHead(answer), answer.body)
    }
}

extension RequestScan.Fault {
    fileprivate var problem: Problem {
        switch self {
        case .lineEnd: Self.unreadable("A line of the header does not end with CR LF.")
        case .requestLine:
            Self.unreadable(
                "The request line is not a method, a target and a version with one space between.")
        case .fieldName:
            Self.unreadable(
                "A header field has no name, or its name is not followed by a colon.")
        case .foldedField:
            Self.unreadable(
                "A header field continues on a second line, which HTTP/1.1 forbids.")
        case .fieldValue:
            Self.unreadable("A header field has a control character in its value.")
        case .contentLength:
            Self.unreadable("Content-Length is not one number of at most 15 digits.")
        case .transferEncoding:
            Self.unreadable(
                "Transfer-Encoding has to end with chunked, named once, in HTTP/1.1 and without "
                    + "Content-Length.")
        case .unknownCoding:
            Problem(
                status: .notImplemented, name: "unknown-coding", title: "Unknown transfer coding",
                detail: "The only transfer coding that is known here is chunked.")
        case .unknownVersion:
            Problem(
                status: .httpVersionNotSupported, name: "unknown-version",
                title: "Unknown HTTP version",
                detail: "Requests without TLS are read as HTTP/1.1 or HTTP/1.0.")
        }
    }

    private static func unreadable(_ detail: String) -> Problem {
        Problem(
            status: .badRequest, name: "unreadable-request", title: "Unreadable request",
            detail: detail)
    }
}
