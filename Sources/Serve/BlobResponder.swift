import FoundationEssentials
import HTTPTypes
import Imaging
import Pipeline
import Store

/// Answers `/o/…` and `/b/…`: bytes as they are stored, whole or in ranges.
struct BlobResponder: Sendable {
    let pipeline: MediaPipeline

    func original(
        source: String, kind: String, id: String, _ question: Question
    ) async throws(PipelineError) -> Answer {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        let original = try await pipeline.original(of: item)
        var fields = BlobFields.common(original.digest)
        fields[.contentType] = Self.contentType(original.bytes)
        let life = PictureLife(pipeline.configuration.freshness)
        fields.append(contentsOf: life.fields(until: original.freshUntil, now: pipeline.now()))
        fields[.lastModified] = HTTPDate.format(original.fetchedAt)
        fields[.cacheStatus] = CacheStatus.field(original.outcome)
        return Self.answer(fields, original.bytes, original.fetchedAt, question)
    }

    func blob(_ digest: Digest, _ question: Question) async throws(PipelineError) -> Answer {
        let bytes = try await pipeline.blob(digest)
        var fields = BlobFields.common(digest)
        fields[.contentType] = Self.contentType(bytes)
        fields[.cacheControl] = "public, max-age=31536000, immutable"
        fields[.cacheStatus] = CacheStatus.field(.hit)
        return Self.answer(fields, bytes, nil, question)
    }

    private static func answer(
        _ fields: HTTPFields, _ bytes: [UInt8], _ lastModified: Date?, _ question: Question
    ) -> Answer {
        var fields = fields
        // What an origin sent is never a page: an SVG opened by its address runs no script.
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
        let answer = Answer(status: .ok, fields: fields, body: bytes)
            .unlessKnown(to: question, lastModified: lastModified)
        return answer.status == .ok ? RangeAnswer.of(answer, question) : answer
    }

    /// By the bytes; what is no picture of a known format is never guessed.
    private static func contentType(_ bytes: [UInt8]) -> String {
        ImageFormat.sniff(bytes)?.contentType ?? "application/octet-stream"
    }
}
