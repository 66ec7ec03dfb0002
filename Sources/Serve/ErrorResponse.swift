import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Imaging
import Pipeline

/// Maps every failure to its problem document. The `switch` is exhaustive on purpose.
enum ErrorResponse {
    /// - Parameters:
    ///   - source: that it is about, if it is known.
    ///   - pause: seconds after which a retry may succeed if the failure is of an origin and names none.
    static func problem(
        _ failure: Failure, of source: (any Source)? = nil, pause: TimeInterval? = nil
    ) -> Problem {
        var problem = form(of: failure)
        problem.message = message(failure, source)
        problem.source = source?.name
        problem.retryAfter =
            problem.retryAfter ?? failure.retryAfter
            ?? (failure.isTransient ? pause.map { Int($0.rounded(.up)) } : nil)
        return problem
    }

    /// Returns a sentence for readers who know nothing of origins and protocols; nil if the reason is one.
    static func message(_ failure: Failure, _ source: (any Source)?) -> String? {
        let name = source?.title ?? "The source"
        return switch failure.kind {
        case .unavailable, .sourceUnavailable: "\(name) can’t be reached."
        case .timedOut, .sourceTimedOut: "\(name) is too slow."
        case .absent: "\(name) has no picture of this."
        case .rejected: "The picture is broken or too large."
        case .unfinished: "The picture is broken, or not complete yet."
        case .refused: "The picture’s address is not allowed."
        case .unconfigured: "\(name) is not set up."
        case .withheld, .gone, .notFound, .invalid, .unknownLevel, .unknownSource, .unknownBlob,
            .badSignature, .sheetTooLarge, .overloaded, .tooMany, .diskFull, .storeUnusable,
            .unexpected,
            .canceled:
            nil
        }
    }

    /// Returns the true status of a failure, which the placeholder is sent with.
    static func status(_ kind: Failure.Kind) -> HTTPResponse.Status {
        problem(Failure(kind, "")).status
    }

    private static func form(of failure: Failure) -> Problem {
        func problem(
            _ status: HTTPResponse.Status, _ name: String, _ title: String
        ) -> Problem {
            Problem(status: status, name: name, title: title, detail: failure.reason)
        }
        return switch failure.kind {
        case .absent: problem(.notFound, "no-picture", "No picture")
        case .unavailable: problem(.badGateway, "origin-failed", "Origin failed")
        case .timedOut: problem(.gatewayTimeout, "origin-too-slow", "Origin too slow")
        case .rejected, .unfinished:
            problem(.unsupportedMediaType, "not-an-image", "Not a usable image")
        case .refused: problem(.forbidden, "address-refused", "Address refused")
        case .withheld:
            problem(
                HTTPResponse.Status(code: 451, reasonPhrase: "Unavailable For Legal Reasons"),
                "blocked", "Blocked")
        case .gone: problem(.gone, "blocked", "Blocked")
        case .notFound: problem(.notFound, "not-found", "Not found")
        case .sourceUnavailable: problem(.badGateway, "source-failed", "Source failed")
        case .sourceTimedOut: problem(.gatewayTimeout, "source-too-slow", "Source too slow")
        case .unconfigured:
            problem(.serviceUnavailable, "source-not-configured", "Source not configured")
        case .invalid: problem(.badRequest, "invalid-request", "Invalid request")
        case .unknownLevel: problem(.notFound, "unknown-level", "Unknown level")
        case .unknownSource: problem(.notFound, "unknown-source", "Unknown source")
        case .unknownBlob: problem(.notFound, "unknown-blob", "Unknown blob")
        case .badSignature: problem(.forbidden, "bad-signature", "Bad signature")
        case .sheetTooLarge: problem(.badRequest, "sheet-too-large", "Sheet too large")
        case .overloaded: problem(.serviceUnavailable, "overloaded", "Overloaded")
        case .tooMany: problem(.tooManyRequests, "too-many-parts", "Too many parts")
        case .diskFull:
            Problem(
                status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                name: "disk-full", title: "Disk full",
                detail: "The cache's disk is full; free some space and try again.",
                retryAfter: 60, cause: failure.reason)
        // Paths and library texts belong in the log.
        case .storeUnusable, .unexpected:
            Problem(
                status: .internalServerError, name: "internal", title: "Internal error",
                detail: "The service could not do its work; its log says why.",
                cause: failure.reason)
        case .canceled:
            Problem(
                status: .serviceUnavailable, name: "stopping", title: "Stopping",
                detail: "The service is stopping; try again in a moment.", retryAfter: 1)
        }
    }

    static func problem(_ failure: Route.Failure) -> Problem {
        switch failure {
        case .unknown:
            Problem(
                status: .notFound, name: "unknown-route", title: "Unknown route",
                detail: "There is nothing here; thumbnails are at /t/{level}/{source}/{kind}/{id}.")
        case .malformed(let reason):
            Problem(
                status: .badRequest, name: "malformed-path", title: "Malformed path",
                detail: reason)
        case .unknownFormat(let name):
            Problem(
                status: .notFound, name: "unknown-format", title: "Unknown format",
                detail: "Format “\(name)” is unknown; offered are "
                    + ThumbnailFormat.allCases.map(\.fileExtension).listed(by: "and") + ".")
        case .badDigest:
            Problem(
                status: .notFound, name: "bad-digest", title: "Not a digest",
                detail: "A blob's name is sha256- and 64 lower-case hexadecimal digits.")
        case .tooLong(let limit):
            Problem(
                status: .uriTooLong, name: "target-too-long", title: "URI too long",
                detail: "The request target has more than \(limit) bytes.")
        }
    }
}

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

    /// Without the fields that each response has.
    var answer: Response {
        // A burst of these must cost little.
        self == .overloaded ? Self.overload : newAnswer
    }

    private static let overload = RequestRefusal.overloaded.newAnswer

    private var newAnswer: Response {
        var answer = problem.answer
        answer.fields.addSecurity()
        return answer
    }

    /// Returns the head of an answer.
    func head(
        _ answer: Response, _ now: Date, _ identity: RequestIdentity
    ) -> ResponseHead {
        var answer = answer
        answer.fields[.xRequestID] = identity.id
        answer.fields[.contentLength] = "\(answer.body.count)"
        for field in HTTPFields.common(at: now) { answer.fields[field.name] = field.value }
        return ResponseHead(answer)
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
