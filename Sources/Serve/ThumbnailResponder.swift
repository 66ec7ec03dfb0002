import Catalog
import FoundationEssentials
import HTTPTypes
import Imaging
import Pipeline

/// Answers `/t/…`: the thumbnail, or the placeholder with the true status.
struct ThumbnailResponder: Sendable {
    let pipeline: MediaPipeline
    let placeholderStatus: Int?

    func answer(
        level: String, source: String, kind: String, id: String, format: ThumbnailFormat?,
        parameters: [(String, String)], _ question: Question
    ) async throws(PipelineError) -> Answer {
        let level = try pipeline.level(level)
        let item =
            source == SignedURL.name
            ? try pipeline.signedItem(
                signature: kind, level: level.name, encodedURL: id,
                expires: try Self.expires(parameters))
            : try pipeline.item(source: source, kind: kind, id: id)
        let negotiation = Negotiation(accept: question.fields[.accept])
        let made = try await pipeline.picture(
            of: item, level: level, format: format ?? negotiation.format)
        let isNegotiated = format == nil
        if made.picture.isPlaceholder {
            return placeholder(made, negotiation, question, isNegotiated: isNegotiated)
        }
        return picture(made, question, isNegotiated: isNegotiated)
    }

    private static func expires(
        _ parameters: [(String, String)]
    ) throws(PipelineError) -> Int? {
        guard let text = parameters.first(where: { $0.0 == "expires" })?.1 else { return nil }
        guard let seconds = Int(text) else { throw .signature(.wrong) }
        return seconds
    }

    private func picture(
        _ made: PictureAnswer, _ question: Question, isNegotiated: Bool
    ) -> Answer {
        let picture = made.picture
        var fields = Self.fields(picture, isNegotiated: isNegotiated)
        let life = PictureLife(pipeline.configuration.freshness)
        fields.append(contentsOf: life.fields(until: picture.freshUntil, now: pipeline.now()))
        fields[.cacheStatus] = CacheStatus.field(made.outcome)
        fields[.serverTiming] = made.timings.flatMap(ServerTiming.field)
        return Answer(status: .ok, fields: fields, body: picture.bytes)
            .unlessKnown(to: question, lastModified: picture.renderedAt)
    }

    private func placeholder(
        _ made: PictureAnswer, _ negotiation: Negotiation, _ question: Question,
        isNegotiated: Bool
    ) -> Answer {
        let picture = made.picture
        let failure =
            picture.failure
            ?? Failure(kind: .absent, reason: "There is no picture.", until: picture.freshUntil)
        let left = Int(max(0, failure.until.timeIntervalSince(pipeline.now())))
        guard negotiation.acceptsImages || !isNegotiated else {
            var problem = ErrorResponse.problem(failure)
            if failure.isTransient { problem.retryAfter = left }
            var answer = problem.answer
            answer.fields[.cacheControl] = "public, max-age=\(left)"
            answer.fields[.vary] = "Accept"
            return answer
        }
        var fields = Self.fields(picture, isNegotiated: isNegotiated)
        fields[.lastModified] = nil
        fields[.cacheControl] = "public, max-age=\(left)"
        fields[.cacheStatus] = CacheStatus.field(made.outcome) + "; detail=placeholder"
        if failure.isTransient { fields[.retryAfter] = "\(max(1, left))" }
        let status =
            placeholderStatus.map { HTTPResponse.Status(code: $0) }
            ?? ErrorResponse.status(failure.kind)
        return Answer(status: status, fields: fields, body: picture.bytes)
            .unlessKnown(to: question)
    }

    /// The fields of a picture that depend on nothing else.
    static func fields(_ picture: Picture, isNegotiated: Bool) -> HTTPFields {
        var fields = BlobFields.common(picture.digest)
        fields[.contentType] = picture.format.contentType
        fields[.lastModified] = HTTPDate.format(picture.renderedAt)
        if isNegotiated { fields[.vary] = "Accept" }
        return fields
    }
}
