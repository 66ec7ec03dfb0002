import Catalog
import FoundationEssentials
import HTTPTypes
import HitServer
import Imaging
import NIOCore
import Pipeline

/// Prepares responses from the pipeline's memory for the hit threads. The one place where both meet.
final class PipelineHits: HitSource {
    private let pipeline: MediaPipeline

    init(_ pipeline: MediaPipeline) { self.pipeline = pipeline }

    var now: Double { pipeline.now().timeIntervalSince1970 }
    var count: Int { pipeline.status.memory.count }
    var retiredCount: Int { pipeline.pictures.retiredHits }

    var headTexts: HeadTexts {
        let life = PictureLife(pipeline.configuration.freshness)
        return HeadTexts(
            hit: HTTPFields.lines([.cacheStatus: CacheStatus.field(.hit)]),
            stale: HTTPFields.lines([.cacheStatus: CacheStatus.field(.stale)]),
            maxAge: Array(life.start.utf8), staleness: Array(life.end.utf8),
            bounded: { life.bounded(left: $0, linkLeft: $1) },
            date: { second in
                HTTPFields.lines(
                    CommonFields.of(Date(timeIntervalSince1970: TimeInterval(second))))
            })
    }

    func representation(accept: UnsafeRawBufferPointer?) -> UInt8 {
        let accept = accept.map { String(decoding: $0, as: UTF8.self) }
        return Negotiation(accept: accept).format == .webp ? Self.webp : Self.jpeg
    }

    private static let (jpeg, webp) = (UInt8(0), UInt8(1))

    /// Offers only canonical targets, because clients can spell a target in any number of ways. The
    /// responder answers those, and everything that is refused.
    func offer(_ target: UnsafeRawBufferPointer, _ representation: UInt8) -> HitOffer? {
        let format: ThumbnailFormat = representation == Self.webp ? .webp : .jpeg
        let text = String(decoding: target, as: UTF8.self)
        let halves = text.split(separator: "?", maxSplits: 1)
        guard let path = halves.first, let route = try? Route(path: path),
            case .thumbnail(let level, let source, let kind, let id, let fixed) = route,
            let level = try? pipeline.level(level)
        else { return nil }
        var expires: Int?
        let isSigned = source == SignedURL.name
        if halves.count > 1 {
            guard isSigned, let end = Int(halves[1].dropFirst(Self.expiry.count)) else {
                return nil
            }
            expires = end
        }
        // The signature is checked last, because that is the expensive part.
        guard
            let item = try? isSigned
                ? pipeline.trustedItem(source: source, kind: SignedURL.kind, id: id)
                : pipeline.item(source: source, kind: kind, id: id),
            let hit = pipeline.pictures.hit(of: item, level: level, format: fixed ?? format),
            !hit.isPlaceholder
        else { return nil }
        if isSigned {
            let signed = try? pipeline.signedItem(
                signature: kind, level: level.name, encodedURL: id, expires: expires)
            guard signed == item else { return nil }
        }
        // Signed targets have one spelling only.
        let named =
            isSigned
            ? "/t/\(level.name)/\(source)/\(kind)/\(id)"
            : Route.thumbnailPath(level: level.name, item: item.description)
        let canonical =
            named + (fixed.map { ".\($0.fileExtension)" } ?? "")
            + (expires.map { "?\(Self.expiry)\($0)" } ?? "")
        guard text == canonical else { return nil }
        return HitOffer(
            record: hit, prepared: hit.content(PreparedPicture.init).prepared,
            isNegotiated: fixed == nil, expires: expires)
    }

    /// The only query that ``RequestScan`` accepts.
    private static let expiry = "expires="

    func isCurrent(_ record: AnyObject) -> Bool { Self.hit(record).isCurrent }

    func use(_ record: AnyObject, at now: Double) -> HitFreshness {
        let (hit, now) = (Self.hit(record), Date(timeIntervalSince1970: now))
        hit.use()
        if hit.wantsRefresh(at: now) { pipeline.pictures.refresh(hit) }
        return HitFreshness(
            isStale: hit.outcome(at: now) == .stale, secondsLeft: hit.secondsLeft(at: now))
    }

    func charge(_ bytes: Int, to record: AnyObject) {
        pipeline.pictures.addCost(bytes, of: Self.hit(record))
    }

    /// Every record comes from an offer above. Unchecked, because this runs for each request.
    private static func hit(_ record: AnyObject) -> Hit { unsafeDowncast(record, to: Hit.self) }
}

/// A thumbnail's bytes in the form in which they are sent. Memory keeps them in this form only.
private final class PreparedPicture: PictureBytes, Sendable {
    let prepared: PreparedHit

    init(_ picture: Picture) {
        let body = BodyBuffer(bytes: ByteBuffer(bytes: picture.bytes))
        let fields = ThumbnailResponder.fields(picture, isNegotiated: false)
        prepared = PreparedHit(
            // The storage stays in place while an unchanged buffer refers to it.
            body: body.bytes.withUnsafeReadableBytesWithStorageManagement { bytes, _ in bytes },
            owner: body, entityTag: Array((fields[.eTag] ?? "").utf8),
            lastModified: Array((fields[.lastModified] ?? "").utf8),
            fields: HTTPFields.lines(fields))
    }

    var bytes: [UInt8] { Array(prepared.body) }
}

/// Owns the body of a prepared response.
private final class BodyBuffer: Sendable {
    let bytes: ByteBuffer

    init(bytes: ByteBuffer) { self.bytes = bytes }
}

extension PreparedHit {
    /// The body for a channel, shared and not copied.
    var buffer: ByteBuffer {
        (owner as? BodyBuffer)?.bytes ?? ByteBuffer(bytes: body)
    }
}

extension Handover.Unsent {
    var buffer: ByteBuffer {
        switch self {
        case .head(let bytes): return ByteBuffer(bytes: bytes)
        case .body(let hit, let offset):
            var body = hit.buffer
            body.moveReaderIndex(forwardBy: offset)
            return body
        }
    }
}

extension HTTPFields {
    /// Returns the fields as they are sent, each with CR LF.
    static func lines(_ fields: HTTPFields) -> [UInt8] {
        fields.flatMap { Array("\($0.name.rawName): \($0.value)\r\n".utf8) }
    }
}
