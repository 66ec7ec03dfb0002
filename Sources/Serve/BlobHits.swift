import Catalog
import FoundationEssentials
import HTTP
import HTTPTypes
import Imaging
import Memory
import Pipeline
import Store
import Synchronization

/// Originals, blobs and contact sheets that are hits. What a target leads to is kept for a second,
/// with its open file, or with its bytes if they are few. Any thread.
///
/// Only what is stored is answered here. The responders that answer everything else also make these
/// responses, once a second.
final class BlobHits: Sendable {
    struct Key: Hashable {
        var name: Fingerprint
        /// False for requests that get no body. Nothing is opened for them.
        var hasBody: Bool
    }

    /// A look-up that a connection waits for.
    private typealias LookUp = PendingHit<Key, Responses.Entry>

    /// Nil if only a responder can answer.
    typealias Responses = ResponseCache<Key, PreparedHit?>

    /// What an original depends on besides what its life looks at.
    private struct Mark: Equatable {
        /// The name under which it is kept. A row of a list can show another one at any time.
        var kept: Item
        var epoch: UInt64
    }

    /// Larger bodies are sent from their files.
    private static let maxBytes = 64 << 10
    /// What an open file counts in memory at least.
    private static let leastFileCost = 32 << 10
    /// Bytes that a response takes besides its body: header lines, keys, entries of tables.
    private static let overhead = 4_096

    private let pipeline: MediaPipeline
    private let blobs: BlobResponder
    private let sheets: SheetResponder
    private let routes: RouteOffers
    private let room: Room
    /// What an open file counts in memory. It bounds the files that are open between two requests to
    /// half of those that responses may open.
    private let fileCost: Int
    private let responses: Responses
    private let checked = Mutex(Date.distantPast)

    /// - Parameters:
    ///   - routes: what clients may ask for.
    ///   - room: for bodies in memory.
    ///   - bytes: of that room.
    init(_ pipeline: MediaPipeline, _ routes: RouteOffers, _ room: Room, bytes: Int) {
        self.pipeline = pipeline
        self.routes = routes
        self.room = room
        fileCost = max(
            Self.leastFileCost, bytes / max(1, pipeline.pictures.responseFilesLimit / 2))
        blobs = BlobResponder(pipeline: pipeline)
        sheets = SheetResponder(pipeline: pipeline)
        responses = Responses(ResponseLife.Present(pipeline), bytes: bytes, count: 10_000)
    }

    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        after read: (any HitRead)?
    ) -> HitFinding {
        let name = Fingerprint(target, representation)
        let key = Key(name: name, hasBody: needsBody)
        if let entry = responses.current(Key(name: name, hasBody: true)), let offer = entry.offer {
            return .inMemory(offer)
        }
        if !needsBody, let entry = responses.current(key), let offer = entry.offer {
            return .once(offer, entry.life.freshness)
        }
        guard let read = read as? LookUp, read.key == key else {
            let target = BlobTarget(target, representation)
            return .waits(
                LookUp(key) { [self] onEnd in
                    // Unstructured, because the thread that needs it serves other connections meanwhile.
                    Task { onEnd(await entry(target, key)) }
                })
        }
        // Without an entry only a responder can answer.
        guard let entry = read.value, let offer = entry.offer, entry.isUnchanged else {
            return .unknown
        }
        return .once(offer, entry.life.freshness)
    }

    /// Drops expired responses, at most once a second. Returns how many have been dropped since the start.
    func retire() -> Int {
        let now = pipeline.now()
        let isDue = checked.withLock { checked in
            guard abs(now.timeIntervalSince(checked)) >= 1 else { return false }
            checked = now
            return true
        }
        if isDue {
            responses.removeExpired()
            pipeline.pictures.closeRemovedFiles()
        }
        return responses.removed
    }

    // MARK: Look-ups

    /// Looks a target up, or joins the look-up under way.
    private func entry(_ target: BlobTarget, _ key: Key) async -> Responses.Entry? {
        // A failure is a responder's.
        try? await responses.entry(key) { [weak self] _ throws(Failure) in
            try await self?.look(up: target, key) ?? .init(content: nil)
        }.entry
    }

    private func look(
        up target: BlobTarget, _ key: Key
    ) async throws(Failure) -> Responses.Made? {
        guard let meaning = target.meaning, routes.admission(to: meaning.route) == .all else {
            return nil
        }
        var item: Item?
        if case .original(let source, let kind, let id) = meaning.route {
            item = try pipeline.item(source: source, kind: kind, id: id)
        }
        // Without notice of changes, the file is looked at for each request.
        if let item, !pipeline.pictures.mayKeep(item) { return nil }
        // Before the look-up, so that a change during it shows.
        let mark = Self.mark(of: item, in: pipeline)
        // A row of a list that has changed, or that was not requested yet.
        if item != nil, mark == nil { return nil }
        let request = target.request(key.hasBody ? .get : .head)
        guard var response = try await response(meaning.route, meaning.parameters, item, request),
            response.status == .ok,
            let file = response.file, file.parts.count == 1
        else { return nil }
        response.fields.addSecurity()
        // Sent with the length.
        response.fields[.acceptRanges] = nil
        guard
            let hit = await hit(
                target.hitRoute, response.fields, of: file, hasBody: key.hasBody)
        else { return nil }
        return Responses.Made(
            content: hit,
            cost: hit.file == nil ? hit.body.count + Self.overhead : fileCost,
            isStale: RequestMetrics.cache(response.fields[.cacheStatus]) == "stale"
        ) { [pipeline, item] in
            mark == Self.mark(of: item, in: pipeline) && hit.file?.isUnchanged ?? true
        }
    }

    private func response(
        _ route: Route, _ parameters: [(String, String)], _ item: Item?, _ request: Request
    ) async throws(Failure) -> Response? {
        switch route {
        case .original:
            guard let item else { return nil }
            return try await blobs.storedOriginal(of: item, request)
        case .blob(let digest): return try await blobs.blob(digest, request)
        case .sheet(let level, let source, let list, .picture(let format)):
            return try await sheets.stored(
                level, source, list, format, parameters, request)
        default: return nil
        }
    }

    /// Returns nil without room for the body.
    private func hit(
        _ route: HitRoute, _ fields: HTTPFields, of file: FileBody, hasBody: Bool
    ) async -> PreparedHit? {
        var body: BodyBuffer?
        var open: BlobFile?
        if hasBody {
            guard let blob = file.blob else { return nil }
            if file.length <= Self.maxBytes, let hold = room.take(file.length) {
                guard let bytes = try? await blob.read(0..<file.length) else { return nil }
                body = BodyBuffer(bytes, hold)
            } else {
                guard let descriptor = blob.descriptor else { return nil }
                open = BlobFile(blob, descriptor)
            }
        }
        return PreparedHit(
            route, fields, body: body, file: open, byteCount: file.length)
    }

    /// Returns nil for a row of a list that has changed, or that was not requested yet.
    private static func mark(of item: Item?, in pipeline: MediaPipeline) -> Mark? {
        guard let item, let kept = pipeline.pictures.knownPictured(item) else { return nil }
        return Mark(kept: kept, epoch: pipeline.pictures.epoch(of: kept))
    }
}

extension ResponseCache.Entry where Content == PreparedHit? {
    fileprivate var offer: HitOffer? {
        content.map {
            HitOffer(record: life, prepared: $0, isNegotiated: false, expires: nil)
        }
    }

    fileprivate var isUnchanged: Bool { content?.file?.isUnchanged ?? true }
}

/// The open file of a blob that the kernel sends.
private final class BlobFile: HitFile {
    let descriptor: CInt
    private let blob: OpenBlob

    /// - Parameter descriptor: of the blob.
    init(_ blob: OpenBlob, _ descriptor: CInt) {
        self.blob = blob
        self.descriptor = descriptor
    }

    var isUnchanged: Bool { blob.isUnchanged }

    func fetch(_ range: Range<Int>, _ onEnd: @escaping @Sendable () -> Void) {
        blob.fetch(range, onEnd)
    }

    func countSent(_ bytes: Int) { blob.countSent(bytes) }
}
