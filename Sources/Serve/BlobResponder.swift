import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Hashing
import Imaging
import Pipeline
import Store

/// Responds to `/o/…` and `/b/…`: stored bytes, whole or in ranges, sent from their file.
struct BlobResponder: Sendable {
    let pipeline: MediaPipeline
    private let tags: TagFields

    init(pipeline: MediaPipeline) {
        self.pipeline = pipeline
        tags = TagFields(pipeline.configuration)
    }

    func original(
        source: String, kind: String, id: String, _ request: Request
    ) async throws(Failure) -> Response {
        let item = try pipeline.item(source: source, kind: kind, id: id)
        return answer(
            try await pipeline.pictures.original(of: item) { digest, fetchedAt in
                Self.wantsBytes(request, digest, fetchedAt)
            }, item, request)
    }

    /// Returns nil if the original is not stored.
    func storedOriginal(of item: Item, _ request: Request) async throws(Failure) -> Response? {
        try await pipeline.pictures.storedOriginal(of: item) { digest, fetchedAt in
            Self.wantsBytes(request, digest, fetchedAt)
        }.map { answer($0, item, request) }
    }

    private func answer(
        _ original: OriginalAnswer, _ item: Item, _ request: Request
    ) -> Response {
        var fields = HTTPFields.blob(original.digest)
        fields.append(contentsOf: tags.of(item))
        fields.append(
            contentsOf: pipeline.lifeFields(
                until: original.freshUntil, isPrivate: original.isPrivate))
        fields[.lastModified] = HTTPDate.format(original.fetchedAt)
        fields[.cacheStatus] = original.outcome.cacheStatus
        return Self.answer(fields, original.content, original.fetchedAt, request)
    }

    func blob(_ digest: Digest, _ request: Request) async throws(Failure) -> Response {
        let content = try await pipeline.pictures.blob(
            digest, wantsBytes: Self.wantsBytes(request, digest, nil))
        var fields = HTTPFields.blob(digest)
        let isPrivate = try await pipeline.pictures.isPrivate(digest)
        fields[.cacheControl] =
            "\(isPrivate ? "private" : "public"), max-age=31536000, immutable"
        fields[.cacheStatus] = CacheOutcome.hit.cacheStatus
        if !tags.isEmpty {
            fields.append(
                contentsOf: tags.of(try await pipeline.pictures.items(showing: digest), sources: [])
            )
        }
        return Self.answer(fields, content, nil, request)
    }

    /// Not called for HEAD or if the client has the blob.
    private static func wantsBytes(
        _ request: Request, _ digest: Digest, _ lastModified: Date?
    ) -> Bool {
        request.method == .get
            && !ConditionalRequest(request.fields).isNotModified(
                entityTag: digest.entityTag, lastModified: lastModified)
    }

    private static func answer(
        _ fields: HTTPFields, _ content: BlobContent, _ lastModified: Date?, _ request: Request
    ) -> Response {
        var fields = fields
        // The format is detected from the bytes. Unknown bytes have no image type.
        fields[.contentType] = content.format?.contentType ?? "application/octet-stream"
        // An original is never a page, so an SVG opened by its URL runs no script.
        fields[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
        let known = Response(status: .ok, fields: fields)
            .unlessKnown(to: request, lastModified: lastModified)
        return known.status == .ok ? Response.ranges(fields, content, request) : known
    }
}

extension ImageFormat {
    /// The media type of the format.
    fileprivate var contentType: String {
        switch self {
        case .svg: "image/svg+xml"
        // Unregistered types, but the ones that programs use.
        case .exr: "image/x-exr"
        case .hdr: "image/vnd.radiance"
        case .jpeg, .png, .gif, .webp, .avif, .heic, .tiff, .bmp, .jxl, .jp2: "image/\(rawValue)"
        }
    }
}
