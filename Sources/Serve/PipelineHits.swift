import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Imaging
import Memory
import Pipeline
import Store

extension VerifiedFile: HitFile {}

/// Prepares responses from the pipeline's memory, and from the files of pictures that it knows, for
/// the engine's threads. The one place where both meet.
final class PipelineHits: HitSource {
    /// A target that led to a picture before. It need not be parsed, nor its signature be checked.
    private struct KnownTarget: BitwiseCopyable {
        var picture: Fingerprint
        /// Seconds since 1970 at which a signed target stops being valid.
        var expires: Int
        var isNegotiated: Bool
        /// The count of ``Pictures/otherAVIFs`` for which an AVIF in its place was looked for.
        var lookedFor = 0
        /// ``MediaPipeline/editionNumber`` when it was found. Other settings may not offer it.
        var edition: Int
    }

    /// What a response needs of the body.
    private enum BodyNeed {
        case none, bytes, bytesOrFile
    }

    /// Smaller bodies are read and sent with their heads, which costs less than one more system call.
    private static let leastSent = 12 << 10

    private let pipeline: MediaPipeline
    private let meanings: PictureTargets
    private let targets: CompactTable<KnownTarget>
    private let reads: BodyReads
    private let blobs: BlobHits
    private let responders: CurrentResponder?
    private let present: ResponseLife.Present
    private let fields = PictureFields()
    private let offer: ServerConfiguration.Offer
    private let routes: RouteOffers
    private let tags: TagFields
    let maxFilesOfTable: Int

    /// All tables together keep one part in this many of the files of responses open. The others are for those that
    /// ``BlobHits`` keeps, and for responses under way.
    private static let shareOfTables = 4

    /// - Parameters:
    ///   - bodyBytes: limit of the bodies that were read for one response and are not sent.
    ///   - routes: what clients may ask for.
    ///   - responders: make the documents that are repeated; nil repeats none.
    ///   - tables: threads that use it.
    init(
        _ pipeline: MediaPipeline, bodyBytes: Int,
        _ offer: ServerConfiguration.Offer = .everything, routes: RouteOffers = .everything,
        responders: CurrentResponder? = nil, tables: Int = 1
    ) {
        self.responders = responders
        maxFilesOfTable = pipeline.pictures.responseFilesLimit / (Self.shareOfTables * tables)
        present = ResponseLife.Present(pipeline)
        self.pipeline = pipeline
        meanings = PictureTargets(pipeline: pipeline)
        self.offer = offer
        self.routes = routes
        tags = TagFields(pipeline.configuration)
        targets = CompactTable(bytes: pipeline.pictures.namesBytes)
        let room = Room(limit: bodyBytes)
        reads = BodyReads(pipeline.pictures, room)
        blobs = BlobHits(pipeline, routes, room, bytes: bodyBytes)
    }

    var now: Double { pipeline.now().timeIntervalSince1970 }
    var count: Int { pipeline.status.memory.count }
    var retiredCount: Int {
        pipeline.pictures.retiredHits &+ blobs.retire() &+ (responders?.value.retiredDocuments ?? 0)
    }

    var headTexts: HeadTexts {
        let life = PictureLife(pipeline.configuration.freshness)
        return HeadTexts(
            hit: FieldLines([.cacheStatus: CacheOutcome.hit.cacheStatus]),
            stale: FieldLines([.cacheStatus: CacheOutcome.stale.cacheStatus]),
            maxAge: Array(life.start.utf8), staleness: Array(life.end.utf8),
            bounded: { life.bounded(left: $0, linkLeft: $1) }, clientLimit: life.clientLimit,
            date: { second in
                FieldLines(
                    HTTPFields.common(at: Date(timeIntervalSince1970: TimeInterval(second))))
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

    /// Returns whether a picture that was found for a target would be sent as AVIF if that is stored.
    private func prefersAVIF(
        _ picture: StoredPicture, _ known: KnownTarget, _ representation: UInt8
    ) -> Bool {
        known.isNegotiated && representation & ThumbnailFormat.orStoredAVIF != 0
            && picture.format != .avif
    }

    /// Returns whether another process has stored AVIFs since one was looked for.
    private func wantsLook(_ known: KnownTarget) -> Bool {
        known.lookedFor != pipeline.pictures.otherAVIFs
    }

    func significantCount(_ target: UnsafeRawBufferPointer, query: Int) -> Int? {
        meanings.significantCount(target, query: query)
    }

    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        sendsFiles: Bool, after read: (any HitRead)?
    ) -> HitFinding {
        let need = !needsBody ? BodyNeed.none : sendsFiles ? .bytesOrFile : .bytes
        // What only some clients get is answered by a responder, which looks at the client.
        guard offer.hasPictures, routes.areForAll(target) else { return .unknown }
        if let route = HitRoute(target), route != .picture {
            return blobs.find(target, representation, needsBody: needsBody, after: read)
        }
        let pictures = pipeline.pictures
        let name = Fingerprint(target, representation)
        if let known = known(name), let picture = pictures.stored(known.picture),
            !picture.isInMemory,
            // Only the target's meaning tells whether there is a better form.
            !prefersAVIF(picture, known, representation)
                || !pictures.knowsAVIF && !wantsLook(known)
        {
            return stored(
                picture, known, need, after: read,
                orElse: { [self] in meanings.meaning(target, representation) })
        }
        // Before it is looked up, so that a reload meanwhile shows.
        let edition = pipeline.editionNumber
        guard let meaning = meanings.meaning(target, representation) else { return .unknown }
        let (item, level, format) = (meaning.item, meaning.level, meaning.format)
        // Tags name the row, which prepared responses don't know.
        if meaning.isOfRow, !tags.isEmpty { return .unknown }
        let hit = pictures.hit(of: item, level: level, format: format)
        guard hit?.isPlaceholder != true else { return .unknown }
        var known = KnownTarget(
            picture: hit?.name ?? pictures.name(of: item, level: level, format: format),
            expires: meaning.expires ?? .max, isNegotiated: meaning.isNegotiated,
            edition: edition)
        // What the name of a file or a row stands for can change.
        let isFixed =
            !meaning.isOfRow && (item.kind != FolderSource.kind || !pictures.isFile(item))
        if let hit {
            if meaning.isOfRow { return once(offer(hit, item, known), hit, representation) }
            if isFixed { targets.set(known, for: name) }
            return .inMemory(offer(hit, item, known))
        }
        guard let picture = pictures.stored(known.picture) else { return .unknown }
        let lookedFor = pictures.otherAVIFs
        let earlier = self.known(name) ?? known
        let waits =
            prefersAVIF(picture, earlier, representation) && wantsLook(earlier)
            && !pictures.lookForAVIF(item, level: level)
        known.lookedFor = waits ? earlier.lookedFor : lookedFor
        if isFixed { targets.set(known, for: name) }
        if picture.isInMemory { pictures.isNotInMemory(known.picture) }
        return stored(picture, known, need, after: read, orElse: { meaning })
    }

    /// Offers a picture in memory for one response.
    private func once(_ offer: HitOffer, _ hit: Hit, _ representation: UInt8) -> HitFinding {
        .once(offer, use(hit, negotiated: offer.isNegotiated ? representation : 0, at: now))
    }

    private func known(_ name: Fingerprint) -> KnownTarget? {
        guard let known = targets.value(name), known.edition == pipeline.editionNumber else {
            return nil
        }
        return known.expires == .max || now < Double(known.expires) ? known : nil
    }

    private func offer(_ hit: Hit, _ item: Item, _ known: KnownTarget) -> HitOffer {
        HitOffer(
            record: hit,
            prepared: hit.content { PreparedPicture($0, tags.lines(item), hit.hold) }.prepared,
            isNegotiated: known.isNegotiated,
            expires: known.expires == .max ? nil : known.expires)
    }

    /// Answers from the file of a picture.
    ///
    /// - Parameter meaning: parses the target, which most requests don't need.
    private func stored(
        _ picture: StoredPicture, _ known: KnownTarget, _ need: BodyNeed,
        after read: (any HitRead)?, orElse meaning: () -> PictureTargets.Meaning?
    ) -> HitFinding {
        let (pictures, now) = (pipeline.pictures, pipeline.now())
        var body: BodyBuffer?
        var isAdmitted: Bool?
        let file = need == .bytesOrFile ? file(of: picture, known.picture, &isAdmitted) : nil
        if need != .none, file == nil {
            switch reads.body(of: picture, known.picture, after: read) {
            case .read(let bytes): body = bytes
            case .waits(let read): return .waits(read)
            case .unavailable: return .unknown
            }
        } else if file == nil {
            pictures.use(picture)
        }
        if picture.life.wantsRefresh(at: now), let meaning = meaning() {
            pictures.refresh(meaning.item, level: meaning.level, format: meaning.format)
        }
        if let body, isAdmitted ?? pictures.admits(picture, known.picture),
            let meaning = meaning(),
            let hit = pictures.admit(
                picture, Array(body.view), of: meaning.item, level: meaning.level,
                format: meaning.format)
        {
            let offer = offer(hit, meaning.item, known)
            return meaning.isOfRow ? once(offer, hit, 0) : .inMemory(offer)
        }
        var tagLines = FieldLines()
        if !tags.isEmpty {
            guard let meaning = meaning() else { return .unknown }
            tagLines = tags.lines(meaning.item)
        }
        let prepared = fields.prepared(picture, body, file, tagLines)
        return .once(
            HitOffer(
                record: prepared, prepared: prepared, isNegotiated: known.isNegotiated,
                expires: known.expires == .max ? nil : known.expires),
            HitFreshness(
                isStale: picture.life.outcome(at: now) == .stale,
                secondsLeft: picture.life.secondsLeft(at: now)))
    }

    /// Returns the open file of a picture that is sent from there.
    ///
    /// - Parameter isAdmitted: is set if the picture was asked for whether it should come into memory.
    private func file(
        of picture: StoredPicture, _ name: Fingerprint, _ isAdmitted: inout Bool?
    ) -> VerifiedFile? {
        guard picture.facts.byteCount >= Self.leastSent,
            let file = pipeline.pictures.file(of: picture)
        else { return nil }
        let admits = pipeline.pictures.admits(picture, name)
        isAdmitted = admits
        return admits ? nil : file
    }

    func document(_ head: RequestHead) -> HitOffer? {
        guard offer.hasPictures, let responder = responders?.value else { return nil }
        return Request(head: head).flatMap(responder.repeated)
    }

    func isCurrent(_ record: AnyObject) -> Bool {
        switch Record(record) {
        case .picture(let hit): hit.isCurrent
        case .response(let life): life.isCurrent(present)
        }
    }

    func mayAnswer(_ record: AnyObject) -> Bool {
        switch Record(record) {
        case .picture(let hit): if hit.isOfFile { pipeline.noticeFiles() }
        case .response: pipeline.noticeFiles()
        }
        return isCurrent(record)
    }

    func use(_ record: AnyObject, negotiated: UInt8, at now: Double) -> HitFreshness {
        let hit: Hit
        switch Record(record) {
        case .picture(let picture): hit = picture
        case .response(let life): return life.use(present)
        }
        let now = Date(timeIntervalSince1970: now)
        hit.use()
        if negotiated & ThumbnailFormat.orStoredAVIF != 0 {
            pipeline.pictures.lookForAVIF(insteadOf: hit)
        }
        if hit.wantsRefresh(at: now) { pipeline.pictures.refresh(hit) }
        return HitFreshness(
            isStale: hit.outcome(at: now) == .stale, secondsLeft: hit.secondsLeft(at: now))
    }

    func charge(_ bytes: Int, to record: AnyObject) {
        if case .picture(let hit) = Record(record) { pipeline.pictures.addCost(bytes, of: hit) }
    }

    /// A record of an offer of this source. Made for each request, so its type is compared and not searched for.
    private enum Record {
        case picture(Hit)
        /// Of a file or a document.
        case response(ResponseLife)

        init(_ record: AnyObject) {
            let kind: any AnyObject.Type = type(of: record)
            if kind == Hit.self {
                self = .picture(unsafeDowncast(record, to: Hit.self))
            } else {
                precondition(kind == ResponseLife.self, "\(kind) is no record of this source")
                self = .response(unsafeDowncast(record, to: ResponseLife.self))
            }
        }
    }
}
