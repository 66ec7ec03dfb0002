import Catalog
import HTTPTypes
import Imaging
import Pipeline
import Store

/// Maps every error to its status. Each `switch` is exhaustive on purpose.
enum ErrorResponse {
    static func problem(_ error: PipelineError) -> Problem {
        switch error {
        case .unknownLevel:
            Problem(
                status: .notFound, name: "unknown-level", title: "Unknown level",
                detail: "\(error)")
        case .unknownSource:
            Problem(
                status: .notFound, name: "unknown-source", title: "Unknown source",
                detail: "\(error)")
        case .unknownBlob:
            Problem(
                status: .notFound, name: "unknown-blob", title: "Unknown blob",
                detail: "\(error)")
        case .signature(let refusal): problem(refusal)
        case .sheetTooLarge:
            Problem(
                status: .badRequest, name: "sheet-too-large", title: "Sheet too large",
                detail: "\(error)")
        case .noPicture(let failure): problem(failure)
        case .overloaded(let seconds):
            Problem(
                status: .serviceUnavailable, name: "overloaded", title: "Overloaded",
                detail: "\(error)", retryAfter: seconds)
        case .catalog(let error): problem(error)
        case .imaging(let error): problem(error)
        case .store(let error): problem(error)
        case .unexpected: internalProblem("\(error)")
        case .cancelled:
            Problem(
                status: .serviceUnavailable, name: "stopping", title: "Stopping",
                detail: "The service is stopping; try again in a moment.", retryAfter: 1)
        }
    }

    /// Returns the true status of a failure, which the placeholder is sent with.
    static func status(_ kind: Failure.Kind) -> HTTPResponse.Status {
        switch kind {
        case .absent: .notFound
        case .unavailable: .badGateway
        case .timedOut: .gatewayTimeout
        case .rejected: .unsupportedMediaType
        case .refused: .forbidden
        }
    }

    static func problem(_ failure: Failure) -> Problem {
        let title =
            switch failure.kind {
            case .absent: "No picture"
            case .unavailable: "Origin failed"
            case .timedOut: "Origin too slow"
            case .rejected: "Not a usable image"
            case .refused: "Address refused"
            }
        return Problem(
            status: status(failure.kind), name: name(failure.kind), title: title,
            detail: failure.reason)
    }

    private static func name(_ kind: Failure.Kind) -> String {
        switch kind {
        case .absent: "no-picture"
        case .unavailable: "origin-failed"
        case .timedOut: "origin-too-slow"
        case .rejected: "not-an-image"
        case .refused: "address-refused"
        }
    }

    private static func problem(_ refusal: URLSignature.Refusal) -> Problem {
        switch refusal {
        case .unconfigured:
            Problem(
                status: .serviceUnavailable, name: "source-not-configured",
                title: "Source not configured", detail: "\(refusal)")
        case .wrong, .expired:
            Problem(
                status: .forbidden, name: "bad-signature", title: "Bad signature",
                detail: "\(refusal)")
        }
    }

    private static func problem(_ error: CatalogError) -> Problem {
        switch error {
        case .invalid:
            Problem(
                status: .badRequest, name: "invalid-request", title: "Invalid request",
                detail: "\(error)")
        case .absent:
            Problem(status: .notFound, name: "not-found", title: "Not found", detail: "\(error)")
        case .unavailable(_, let timedOut, let retryAfter):
            Problem(
                status: timedOut ? .gatewayTimeout : .badGateway,
                name: timedOut ? "source-too-slow" : "source-failed",
                title: timedOut ? "Source too slow" : "Source failed", detail: "\(error)",
                retryAfter: retryAfter)
        case .unconfigured:
            Problem(
                status: .serviceUnavailable, name: "source-not-configured",
                title: "Source not configured", detail: "\(error)")
        case .cancelled: problem(PipelineError.cancelled)
        }
    }

    private static func problem(_ error: ImagingError) -> Problem {
        switch error {
        case .notAnImage, .unsupported, .broken, .overLimit, .crashed, .tooSlow, .quarantined:
            Problem(
                status: .unsupportedMediaType, name: "not-an-image", title: "Not a usable image",
                detail: "\(error)")
        case .overloaded: problem(PipelineError.overloaded(retryAfter: 1))
        case .cancelled, .stopped: problem(PipelineError.cancelled)
        case .misconfigured: internalProblem("\(error)")
        }
    }

    private static func problem(_ error: StoreError) -> Problem {
        switch error {
        case .diskFull:
            Problem(
                status: HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"),
                name: "disk-full", title: "Disk full",
                detail: "The cache's disk is full; free some space and try again.",
                retryAfter: 60, cause: "\(error)")
        case .unusable, .unknownLayout, .inputOutput, .index: internalProblem("\(error)")
        case .stopped: problem(PipelineError.cancelled)
        }
    }

    /// Returns a problem without details: paths and library texts belong in the log.
    private static func internalProblem(_ cause: String) -> Problem {
        Problem(
            status: .internalServerError, name: "internal", title: "Internal error",
            detail: "The service could not do its work; its log says why.", cause: cause)
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
                detail: "There is no format “\(name)”; offered are webp, jpg, avif and png.")
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
