import Catalog
import FoundationEssentials
import HTTPTypes
import HitServer
import Imaging
import Memory
import NIOCore
import Pipeline
import Store

/// Prepares responses from the pipeline's memory, and from the files of pictures that it knows, for
/// the hit threads. The one place where both meet.
final class PipelineHits: HitSource {
    /// A target that led to a picture before. It need not be parsed, nor its signature be checked.
    private struct KnownTarget: BitwiseCopyable {
        var picture: Fingerprint
        /// Seconds since 1970 at which a signed target stops being valid.
        var expires: Int
        var isNegotiated: Bool
        /// The count of ``Pictures/otherAVIFs`` for which an AVIF in its place was looked for.
        var lookedFor = 0
    }

    /// A target and what it names.
    private struct Meaning {
        var item: Item
        var level: Level
        var format: ThumbnailFormat
        var isNegotiated: Bool
        var expires: Int?
    }

    private let pipeline: MediaPipeline
    private let targets: CompactTable<KnownTarget>
    private let reads: BodyReads
    private let blobs: BlobHits
    private let fields = PictureFields()
    private let offer: ServerConfiguration.Offer
    private let tags: TagFields

    /// - Parameter bodyBytes: limit of the bodies that were read for one response and are not sent.
    init(
        _ pipeline: MediaPipeline, bodyBytes: Int,
        _ offer: ServerConfiguration.Offer = .everything
    ) {
        self.pipeline = pipeline
        self.offer = offer
        tags = TagFields(pipeline.configuration)
        targets = CompactTable(bytes: pipeline.pictures.namesBytes)
        let room = Room(limit: bodyBytes)
        reads = BodyReads(pipeline.pictures, room)
        blobs = BlobHits(pipeline, room, bytes: bodyBytes)
    }

    var now: Double { pipeline.now().timeIntervalSince1970 }
    var count: Int { pipeline.status.memory.count }
    var retiredCount: Int { pipeline.pictures.retiredHits &+ blobs.retire() }

    var headTexts: HeadTexts {
        let life = PictureLife(pipeline.configuration.freshness)
        return HeadTexts(
            hit: HTTPFields.lines([.cacheStatus: CacheStatus.field(.hit)]),
            stale: HTTPFields.lines([.cacheStatus: CacheStatus.field(.stale)]),
            maxAge: Array(life.start.utf8), staleness: Array(life.end.utf8),
            bounded: { life.bounded(left: $0, linkLeft: $1) }, clientLimit: life.clientLimit,
            date: { second in
                HTTPFields.lines(
                    CommonFields.of(Date(timeIntervalSince1970: TimeInterval(second))))
            })
    }

    func representation(accept: UnsafeRawBufferPointer?) -> UInt8 {
        let accept = accept.map { String(decoding: $0, as: UTF8.self) }
        let negotiation = Negotiation(accept: accept)
        let format =
            negotiation.format == .webp
            ? ThumbnailFormat.negotiatedWebP : ThumbnailFormat.negotiatedJPEG
        return negotiation.prefersAVIF ? format | ThumbnailFormat.orStoredAVIF : format
    }

    /// Returns whether a picture that was found for a target may have a better form, which only the
    /// target's meaning tells.
    private func mayBeAVIF(_ picture: StoredPicture, _ known: KnownTarget, _ representation: UInt8)
        -> Bool
    {
        known.isNegotiated && representation & ThumbnailFormat.orStoredAVIF != 0
            && picture.format != .avif && pipeline.pictures.knowsAVIF
    }

    /// Returns whether a picture that was found for a target may have a better form since another
    /// process has stored AVIFs.
    private func wantsLook(
        _ picture: StoredPicture, _ known: KnownTarget, _ representation: UInt8
    ) -> Bool {
        known.isNegotiated && representation & ThumbnailFormat.orStoredAVIF != 0
            && picture.format != .avif && known.lookedFor != pipeline.pictures.otherAVIFs
    }

    func significantCount(_ target: UnsafeRawBufferPointer, query: Int) -> Int? {
        let path = target.prefix(query - 1)
        guard target.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        if HitRoute(target) == .sheet { return target.count }
        let text = target[query...]
        // A parameter can be hidden, or its encoding be broken, which is refused.
        if text.contains(UInt8(ascii: "%")),
            Self.isSigned(path)
                || (try? PercentEncoding.decodeQuery(
                    Substring(decoding: text, as: UTF8.self))) == nil
        {
            return nil
        }
        guard Self.isSigned(path) else { return path.count }
        // The first parameter of that name counts.
        if text.starts(with: Self.expiry) {
            let digits = text.dropFirst(Self.expiry.count).prefix { (0x30...0x39).contains($0) }
            let isLast = digits.endIndex == text.endIndex
            guard (1...12).contains(digits.count),
                isLast || text[digits.endIndex] == UInt8(ascii: "&")
            else { return nil }
            return digits.endIndex
        }
        let hasExpiry = text.split(separator: UInt8(ascii: "&")).contains {
            $0.elementsEqual(Self.expiry.dropLast()) || $0.starts(with: Self.expiry)
        }
        return hasExpiry ? nil : path.count
    }

    /// Returns whether a path names a picture at any URL: `/t/{level}/url/…`.
    private static func isSigned(_ path: Slice<UnsafeRawBufferPointer>) -> Bool {
        let parts = path.split(
            separator: UInt8(ascii: "/"), maxSplits: 4, omittingEmptySubsequences: false)
        return parts.count > 3 && parts[3].elementsEqual(SignedURL.name.utf8)
    }

    func isHit(_ target: UnsafeRawBufferPointer, _ representation: UInt8) -> Bool {
        guard offer == .everything else { return false }
        if let route = HitRoute(target), route != .picture {
            return blobs.isKnown(target, representation)
        }
        let pictures = pipeline.pictures
        if let known = known(Fingerprint(target, representation)) {
            guard let picture = pictures.stored(known.picture) else { return false }
            if !mayBeAVIF(picture, known, representation) { return reads.canRead(picture) }
        }
        guard let meaning = meaning(target, representation) else { return false }
        let (item, level, format) = (meaning.item, meaning.level, meaning.format)
        if let hit = pictures.hit(of: item, level: level, format: format) {
            return !hit.isPlaceholder
        }
        let name = pictures.name(of: item, level: level, format: format)
        return pictures.stored(name).map(reads.canRead) ?? false
    }

    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        after read: (any HitRead)?
    ) -> HitFinding {
        guard offer == .everything else { return .unknown }
        if let route = HitRoute(target), route != .picture {
            return blobs.find(target, representation, needsBody: needsBody, after: read)
        }
        let pictures = pipeline.pictures
        let name = Fingerprint(target, representation)
        if let known = known(name), let picture = pictures.stored(known.picture),
            !picture.isInMemory, !mayBeAVIF(picture, known, representation),
            !wantsLook(picture, known, representation)
        {
            return stored(
                picture, known, needsBody: needsBody, after: read,
                orElse: { [self] in meaning(target, representation) })
        }
        guard let meaning = meaning(target, representation) else { return .unknown }
        let (item, level, format) = (meaning.item, meaning.level, meaning.format)
        let hit = pictures.hit(of: item, level: level, format: format)
        guard hit?.isPlaceholder != true else { return .unknown }
        var known = KnownTarget(
            picture: hit?.name ?? pictures.name(of: item, level: level, format: format),
            expires: meaning.expires ?? .max, isNegotiated: meaning.isNegotiated)
        // What a file's name stands for can change.
        let isFixed = item.kind != FolderSource.kind || !pictures.isFile(item)
        if let hit {
            if isFixed { targets.set(known, for: name) }
            return .inMemory(offer(hit, item, known))
        }
        guard let picture = pictures.stored(known.picture) else { return .unknown }
        let lookedFor = pictures.otherAVIFs
        let earlier = targets.value(name) ?? known
        let waits =
            wantsLook(picture, earlier, representation)
            && !pictures.lookForAVIF(item, level: level)
        known.lookedFor = waits ? earlier.lookedFor : lookedFor
        if isFixed { targets.set(known, for: name) }
        if picture.isInMemory { pictures.isNotInMemory(known.picture) }
        return stored(picture, known, needsBody: needsBody, after: read, orElse: { meaning })
    }

    private func known(_ name: Fingerprint) -> KnownTarget? {
        guard let known = targets.value(name) else { return nil }
        return known.expires == .max || now < Double(known.expires) ? known : nil
    }

    private func offer(_ hit: Hit, _ item: Item, _ known: KnownTarget) -> HitOffer {
        HitOffer(
            record: hit,
            prepared: hit.content { PreparedPicture($0, tags.lines(item)) }.prepared,
            isNegotiated: known.isNegotiated,
            expires: known.expires == .max ? nil : known.expires)
    }

    /// Answers from the file of a picture.
    ///
    /// - Parameter meaning: parses the target, which most requests don't need.
    private func stored(
        _ picture: StoredPicture, _ known: KnownTarget, needsBody: Bool,
        after read: (any HitRead)?, orElse meaning: () -> Meaning?
    ) -> HitFinding {
        let (pictures, now) = (pipeline.pictures, pipeline.now())
        var body: BodyBuffer?
        if needsBody {
            switch reads.body(of: picture, known.picture, after: read) {
            case .read(let bytes): body = bytes
            case .waits(let read): return .waits(read)
            case .unavailable: return .unknown
            }
        } else {
            pictures.use(picture)
        }
        if picture.life.wantsRefresh(at: now), let meaning = meaning() {
            pictures.refresh(meaning.item, level: meaning.level, format: meaning.format)
        }
        if let body, pictures.admits(picture, known.picture), let meaning = meaning(),
            let hit = pictures.admit(
                picture, Array(body.view), of: meaning.item, level: meaning.level,
                format: meaning.format)
        {
            return .inMemory(offer(hit, meaning.item, known))
        }
        var tagLines: [UInt8] = []
        if !tags.isEmpty {
            guard let meaning = meaning() else { return .unknown }
            tagLines = tags.lines(meaning.item)
        }
        let prepared = fields.prepared(picture, body, tagLines)
        return .once(
            HitOffer(
                record: prepared, prepared: prepared, isNegotiated: known.isNegotiated,
                expires: known.expires == .max ? nil : known.expires),
            HitFreshness(
                isStale: picture.life.outcome(at: now) == .stale,
                secondsLeft: picture.life.secondsLeft(at: now)))
    }

    /// Returns what a target means, or nil if it is not canonical or not a picture's. Clients can
    /// spell a target in any number of ways. The responder answers those, and everything that is
    /// refused.
    private func meaning(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8
    ) -> Meaning? {
        let negotiated = ThumbnailFormat(negotiated: representation)
        let text = String(decoding: target, as: UTF8.self)
        let halves = text.split(separator: "?", maxSplits: 1)
        guard let path = halves.first, let route = try? Route(path: path),
            case .thumbnail(let level, let source, let kind, let id, let fixed) = route,
            let level = try? pipeline.level(level)
        else { return nil }
        if kind == FolderSource.kind {
            return halves.count > 1
                ? nil : fileMeaning(text, level, source, id, negotiated, representation)
        }
        var expires: Int?
        let isSigned = source == SignedURL.name
        if halves.count > 1 {
            guard isSigned, let end = Int(halves[1].dropFirst(Self.expiry.count)) else {
                return nil
            }
            expires = end
        }
        // Signed targets have one spelling only.
        let named =
            isSigned
            ? "/t/\(level.name)/\(source)/\(kind)/\(id)"
            : (try? pipeline.item(source: source, kind: kind, id: id))
                .map { Route.thumbnailPath(level: level.name, item: $0.description) }
        let canonical =
            (named ?? "") + (fixed.map { ".\($0.fileExtension)" } ?? "")
            + (expires.map { "?\(String(decoding: Self.expiry, as: UTF8.self))\($0)" } ?? "")
        // The signature is checked last, because that is the expensive part.
        guard text == canonical,
            let item = try? isSigned
                ? pipeline.signedItem(
                    signature: kind, level: level.name, encodedURL: id, expires: expires)
                : pipeline.item(source: source, kind: kind, id: id)
        else { return nil }
        var format = fixed ?? negotiated
        if fixed == nil, representation & ThumbnailFormat.orStoredAVIF != 0,
            pipeline.pictures.isKnown(item, level: level, format: .avif)
        {
            format = .avif
        }
        return Meaning(
            item: item, level: level, format: format, isNegotiated: fixed == nil,
            expires: expires)
    }

    /// Returns what the target of a file means, as far as it is known without the disk.
    private func fileMeaning(
        _ text: String, _ level: Level, _ source: String, _ name: String,
        _ negotiated: ThumbnailFormat, _ representation: UInt8
    ) -> Meaning? {
        let canonical = Route.thumbnailPath(
            level: level.name, item: "\(source)/\(FolderSource.kind)/\(name)")
        guard text == canonical,
            let file = pipeline.pictures.knownName(
                name, of: source, format: { ThumbnailFormat(fileExtension: String($0)) })
        else { return nil }
        var format = file.format ?? negotiated
        if file.format == nil, representation & ThumbnailFormat.orStoredAVIF != 0,
            pipeline.pictures.isKnown(file.item, level: level, format: .avif)
        {
            format = .avif
        }
        return Meaning(
            item: file.item, level: level, format: format, isNegotiated: file.format == nil,
            expires: nil)
    }

    /// The only query that means something.
    private static let expiry = Array("expires=".utf8)

    func isCurrent(_ record: AnyObject) -> Bool {
        if let blob = Self.blob(record) { return blobs.isCurrent(blob) }
        return Self.hit(record).isCurrent
    }

    func use(_ record: AnyObject, negotiated: UInt8, at now: Double) -> HitFreshness {
        if let blob = Self.blob(record) { return blobs.use(blob) }
        let (hit, now) = (Self.hit(record), Date(timeIntervalSince1970: now))
        hit.use()
        if negotiated & ThumbnailFormat.orStoredAVIF != 0 {
            pipeline.pictures.lookForAVIF(insteadOf: hit)
        }
        if hit.wantsRefresh(at: now) { pipeline.pictures.refresh(hit) }
        return HitFreshness(
            isStale: hit.outcome(at: now) == .stale, secondsLeft: hit.secondsLeft(at: now))
    }

    func charge(_ bytes: Int, to record: AnyObject) {
        guard Self.blob(record) == nil else { return }
        pipeline.pictures.addCost(bytes, of: Self.hit(record))
    }

    private static func blob(_ record: AnyObject) -> BlobHit? {
        type(of: record) == BlobHit.self ? unsafeDowncast(record, to: BlobHit.self) : nil
    }

    /// Every other record comes from an offer above. Unchecked, because this runs for each request.
    private static func hit(_ record: AnyObject) -> Hit { unsafeDowncast(record, to: Hit.self) }
}

/// A thumbnail's bytes in the form in which they are sent. Memory keeps them in this form only.
private final class PreparedPicture: PictureBytes, Sendable {
    let prepared: PreparedHit

    /// - Parameter tagLines: fields that name its item.
    init(_ picture: Picture, _ tagLines: [UInt8]) {
        let body = BodyBuffer(bytes: ByteBuffer(bytes: picture.bytes))
        let fields = ThumbnailResponder.fields(picture, isNegotiated: false)
        prepared = PreparedHit(
            body: body.view, owner: body, entityTag: Array((fields[.eTag] ?? "").utf8),
            lastModified: Array((fields[.lastModified] ?? "").utf8),
            fields: HTTPFields.lines(fields) + tagLines)
    }

    var bytes: [UInt8] { Array(prepared.body) }
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
        case .body(let hit, let range):
            let body = hit.buffer
            // A part of a body that this module has prepared.
            return body.getSlice(
                at: body.readerIndex + range.lowerBound, length: range.count) ?? ByteBuffer()
        }
    }
}

extension HTTPFields {
    /// Returns the fields as they are sent, each with CR LF.
    static func lines(_ fields: HTTPFields) -> [UInt8] {
        fields.flatMap { Array("\($0.name.rawName): \($0.value)\r\n".utf8) }
    }
}
