import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import Imaging
import Pipeline
import Store

/// Responds to `/t/…`: the thumbnail, or the placeholder with the true status.
struct ThumbnailResponder: Sendable {
    let pipeline: MediaPipeline
    let placeholderStatus: Int?
    private let tags: TagFields

    init(pipeline: MediaPipeline, placeholderStatus: Int?) {
        self.pipeline = pipeline
        self.placeholderStatus = placeholderStatus
        tags = TagFields(pipeline.configuration)
    }

    func answer(
        level: String, source: String, kind: String, id: String, format: ThumbnailFormat?,
        parameters: [(String, String)], _ request: Request
    ) async throws(Failure) -> Response {
        _ = try pipeline.sources.offered(source)
        let level = try pipeline.level(level)
        let isSigned = source == SignedURL.name
        let expires = isSigned ? try Self.expires(parameters) : nil
        let linkEnds = expires.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        var format = format
        let item: Item
        if kind == FolderSource.kind,
            let file = try await pipeline.pictures.named(
                id, of: source, format: { ThumbnailFormat(fileExtension: String($0)) })
        {
            (item, format) = (file.item, file.format)
        } else {
            item =
                isSigned
                ? try pipeline.signedItem(
                    signature: kind, level: level.name, encodedURL: id, expires: expires)
                : try pipeline.item(source: source, kind: kind, id: id)
        }
        let negotiation = Negotiation(accept: request.fields[.accept])
        var wanted = format ?? negotiation.format
        // AVIF is slow to make, so it is only sent where it is stored.
        if format == nil, negotiation.prefersAVIF,
            try await pipeline.pictures.isStored(item, level: level, format: .avif)
        {
            wanted = .avif
        }
        let made = try await pipeline.pictures.picture(of: item, level: level, format: wanted)
        let isNegotiated = format == nil
        var answer =
            made.picture.isPlaceholder
            ? placeholder(
                made, of: source, negotiation, request, isNegotiated: isNegotiated, linkEnds)
            : picture(made, request, isNegotiated: isNegotiated, linkEnds)
        answer.fields.append(contentsOf: tags.of(item))
        return answer
    }

    private static func expires(
        _ parameters: [(String, String)]
    ) throws(Failure) -> Int? {
        guard let text = parameters.first(where: { $0.0 == "expires" })?.1 else { return nil }
        guard let seconds = Int(text) else { throw URLSignature.wrong }
        return seconds
    }

    private func picture(
        _ made: PictureAnswer, _ request: Request, isNegotiated: Bool, _ linkEnds: Date?
    ) -> Response {
        let picture = made.picture
        var fields = Self.fields(picture, isNegotiated: isNegotiated)
        fields.append(
            contentsOf: pipeline.lifeFields(
                until: picture.freshUntil, linkEnds: linkEnds, isPrivate: picture.isPrivate))
        fields[.cacheStatus] = made.outcome.cacheStatus
        fields[.serverTiming] = made.timings?.serverTiming
        return Response(status: .ok, fields: fields, body: picture.bytes)
            .unlessKnown(to: request, lastModified: picture.facts.renderedAt)
    }

    private func placeholder(
        _ made: PictureAnswer, of source: String, _ negotiation: Negotiation, _ request: Request,
        isNegotiated: Bool, _ linkEnds: Date?
    ) -> Response {
        let picture = made.picture
        let failure =
            picture.failure
            ?? Failure(.absent, "There is no picture.", until: picture.freshUntil)
        let now = pipeline.now()
        let left = Int(max(0, failure.until.timeIntervalSince(now)))
        let life = PictureLife(pipeline.configuration.freshness)
        let maxAge = min(left, linkEnds.map { Int(max(0, $0.timeIntervalSince(now))) } ?? left)
        guard !picture.bytes.isEmpty, negotiation.acceptsImages || !isNegotiated else {
            var problem = ErrorResponse.problem(
                failure, of: try? pipeline.sources.named(source))
            if failure.isTransient { problem.retryAfter = left }
            var answer = problem.answer
            answer.fields[.cacheControl] = nil
            answer.fields.append(contentsOf: life.fields(of: failure, maxAge: maxAge))
            if isNegotiated { answer.fields[.vary] = "Accept" }
            return answer
        }
        var fields = Self.fields(picture, isNegotiated: isNegotiated)
        fields[.lastModified] = nil
        fields.append(contentsOf: life.fields(of: failure, maxAge: maxAge))
        fields[.cacheStatus] = made.outcome.cacheStatus + "; detail=placeholder"
        if failure.isTransient { fields[.retryAfter] = "\(max(1, left))" }
        // Of a picture that the operator has blocked. A field has no letters beyond ASCII.
        if failure.kind == .withheld {
            fields[.blockReason] = PercentCoding.encoded(failure.reason, keeping: " ,;:!?'()/")
        }
        let status =
            placeholderStatus.map { HTTPResponse.Status(code: $0) }
            ?? ErrorResponse.status(failure.kind)
        return Response(status: status, fields: fields, body: picture.bytes)
            .unlessKnown(to: request)
    }

    /// Returns the fields that depend on the picture alone.
    static func fields(_ picture: Picture, isNegotiated: Bool) -> HTTPFields {
        fields(
            picture.facts.digest, picture.format, picture.facts.renderedAt,
            isNegotiated: isNegotiated)
    }

    static func fields(
        _ digest: Digest, _ format: ThumbnailFormat, _ renderedAt: Date, isNegotiated: Bool
    ) -> HTTPFields {
        var fields = HTTPFields.blob(digest)
        fields[.contentType] = format.contentType
        fields[.lastModified] = HTTPDate.format(renderedAt)
        if isNegotiated { fields[.vary] = "Accept" }
        return fields
    }
}

extension HTTPField.Name {
    static let blockReason = constant("X-Block-Reason")
}

extension MissTimings {
    /// The duration of each stage in milliseconds (W3C Server Timing); nil without any.
    fileprivate var serverTiming: String? {
        let parts = [
            ("catalog", catalog), ("fetch", fetch), ("queue", queue), ("render", render),
            ("store", store),
        ]
        let spent = parts.filter { $0.1 > .zero }
        guard !spent.isEmpty else { return nil }
        return spent.map { "\($0.0);dur=\(Self.tenths($0.1))" }.joined(separator: ", ")
    }

    /// Formats milliseconds with one decimal, `12.3`.
    private static func tenths(_ duration: Duration) -> String {
        let parts = duration.components
        let tenths = parts.seconds * 10_000 + parts.attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10)"
    }
}
