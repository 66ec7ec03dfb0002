import Catalog
import FoundationEssentials
import HTTPTypes
import HitServer
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
    /// Seconds for which a response is sent. In the second half, one request makes its successor.
    private static let lifetime = 1.0
    /// Larger bodies are sent from their files.
    private static let maxBytes = 64 << 10
    /// What an open file counts in memory at least.
    private static let leastFileCost = 32 << 10

    private let pipeline: MediaPipeline
    private let blobs: BlobResponder
    private let sheets: SheetResponder
    private let room: Room
    /// What an open file counts in memory. It bounds the files that are open between two requests to
    /// half of those that responses may open.
    private let fileCost: Int
    private let known: MemoryTier<Fingerprint, BlobHit>
    /// Callers that wait for a look-up under way.
    private let underway = Mutex<[BlobLookup.Key: [@Sendable (BlobHit?) -> Void]]>([:])
    private let retired = Removals()
    private let checked = Mutex(Date.distantPast)

    /// - Parameters:
    ///   - room: for bodies in memory.
    ///   - bytes: of that room.
    init(_ pipeline: MediaPipeline, _ room: Room, bytes: Int) {
        self.pipeline = pipeline
        self.room = room
        fileCost = max(
            Self.leastFileCost, bytes / max(1, pipeline.pictures.responseFilesLimit / 2))
        blobs = BlobResponder(pipeline: pipeline)
        sheets = SheetResponder(pipeline: pipeline)
        known = MemoryTier(
            maxCost: bytes, maxCount: 10_000,
            onRemoval: { [retired] _ in retired.count.add(1, ordering: .relaxed) })
    }

    func find(
        _ target: UnsafeRawBufferPointer, _ representation: UInt8, needsBody: Bool,
        after read: (any HitRead)?
    ) -> HitFinding {
        let name = Fingerprint(target, representation)
        if let hit = known.value(name), isCurrent(hit) {
            if hit.hasBody { return .inMemory(hit.offer) }
            if !needsBody { return .once(hit.offer, hit.freshness) }
        }
        let key = BlobLookup.Key(name: name, needsBody: needsBody)
        guard let read = read as? BlobLookup, read.key == key else {
            return .waits(BlobLookup(self, BlobTarget(target, representation), key))
        }
        guard let hit = read.hit, hit.isUnchanged else { return .unknown }
        return .once(hit.offer, hit.freshness)
    }

    func isCurrent(_ hit: BlobHit) -> Bool {
        hit.mark == mark(of: hit.item) && hit.age(at: pipeline.now()) < Self.lifetime
            && hit.isUnchanged
    }

    /// Returns the freshness. Makes the successor if it is due.
    func use(_ hit: BlobHit) -> HitFreshness {
        if hit.age(at: pipeline.now()) >= Self.lifetime / 2, hit.renews() {
            start(hit.target, .init(name: hit.name, needsBody: true)) { _ in }
        }
        return hit.freshness
    }

    /// Drops expired responses, at most once a second. Returns how many have been dropped since the start.
    func retire() -> Int {
        let now = pipeline.now()
        let isDue = checked.withLock { checked in
            guard abs(now.timeIntervalSince(checked)) >= Self.lifetime else { return false }
            checked = now
            return true
        }
        if isDue {
            for hit in known.allValues where hit.age(at: now) >= Self.lifetime {
                known.remove(hit.name)
            }
            pipeline.pictures.closeRemovedFiles()
        }
        return retired.count.load(ordering: .relaxed)
    }

    // MARK: Look-ups

    /// Looks a target up, or joins the look-up under way. Calls `onEnd` on another thread, with nil if only
    /// a responder can answer.
    func start(
        _ target: BlobTarget, _ key: BlobLookup.Key, _ onEnd: @escaping @Sendable (BlobHit?) -> Void
    ) {
        let isFirst = underway.withLock { underway in
            underway[key, default: []].append(onEnd)
            return underway[key]?.count == 1
        }
        guard isFirst else { return }
        // Unstructured, because the thread that needs it serves other connections meanwhile.
        Task { [self] in
            let hit = await look(up: target, key)
            if let hit {
                known.insert(hit, for: key.name, cost: hit.hasFile ? fileCost : hit.cost) {
                    // A response without a body replaces none with one.
                    hit.hasBody || $0.map { !$0.hasBody || !self.isCurrent($0) } ?? true
                }
            }
            for onEnd in underway.withLock({ $0.removeValue(forKey: key) }) ?? [] { onEnd(hit) }
        }
    }

    private func look(up target: BlobTarget, _ key: BlobLookup.Key) async -> BlobHit? {
        guard let meaning = target.meaning else { return nil }
        var item: Item?
        if case .original(let source, let kind, let id) = meaning.route {
            item = try? pipeline.item(source: source, kind: kind, id: id)
        }
        // Without notice of changes, the file is looked at for each request.
        if let item, !pipeline.pictures.mayKeep(item) { return nil }
        // Before the look-up, so that a change during it shows.
        guard let mark = mark(of: item) else { return nil }
        let request = target.request(key.needsBody ? .get : .head)
        guard var response = try? await response(meaning, item, request), response.status == .ok,
            let file = response.file, file.parts.count == 1
        else { return nil }
        SecurityFields.add(to: &response.fields)
        // Sent with the length.
        response.fields[.acceptRanges] = nil
        guard let content = await content(of: file, needsBody: key.needsBody) else { return nil }
        return BlobHit(
            response.fields, content, byteCount: file.length, target, key.name, item, mark,
            madeAt: pipeline.now())
    }

    private func response(
        _ meaning: BlobTarget.Meaning, _ item: Item?, _ request: Request
    ) async throws(Failure) -> Response? {
        switch meaning.route {
        case .original:
            guard let item else { return nil }
            return try await blobs.storedOriginal(of: item, request)
        case .blob(let digest): return try await blobs.blob(digest, request)
        case .sheet(let level, let source, let list, .picture(let format)):
            return try await sheets.stored(
                level, source, list, format, meaning.parameters, request)
        default: return nil
        }
    }

    /// Returns the body to keep; nil without room for it.
    private func content(of file: FileBody, needsBody: Bool) async -> BlobHit.Content? {
        guard needsBody else { return BlobHit.Content.none }
        guard let blob = file.blob else { return nil }
        if file.length <= Self.maxBytes, let hold = room.take(file.length) {
            guard let bytes = try? await blob.read(0..<file.length) else { return nil }
            return .bytes(BodyBuffer(bytes, hold))
        }
        return blob.descriptor.map { .file(BlobFile(blob, $0)) }
    }

    /// Returns nil for a row of a list that has changed, or that was not requested yet.
    private func mark(of item: Item?) -> BlobHit.Mark? {
        let generation = pipeline.generation
        guard let item else { return BlobHit.Mark(generation: generation) }
        guard let kept = pipeline.pictures.knownPictured(item) else { return nil }
        return BlobHit.Mark(
            generation: generation, kept: kept, epoch: pipeline.pictures.epoch(of: kept))
    }
}

/// A look-up that a connection waits for.
final class BlobLookup: HitRead {
    struct Key: Hashable {
        var name: Fingerprint
        var needsBody: Bool
    }

    let key: Key
    private let hits: BlobHits
    private let target: BlobTarget
    private let outcome = Mutex<BlobHit?>(nil)

    init(_ hits: BlobHits, _ target: BlobTarget, _ key: Key) {
        self.hits = hits
        self.target = target
        self.key = key
    }

    /// Once it has ended; nil if only a responder can answer.
    var hit: BlobHit? { outcome.withLock { $0 } }

    func start(_ onEnd: @escaping @Sendable () -> Void) {
        hits.start(target, key) { [self] hit in
            outcome.withLock { $0 = hit }
            onEnd()
        }
    }
}
