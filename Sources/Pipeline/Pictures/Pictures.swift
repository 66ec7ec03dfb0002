package import Catalog
import FoundationEssentials
package import Imaging
import Logging
package import Memory
package import Store
import Synchronization

/// Pictures of items: from memory, from disk, or from a ``Miss`` that concurrent callers share.
package final class Pictures: Sendable {
    let configuration: PipelineConfiguration
    let context: Miss.Context
    let admissions: AdmissionQueues
    let now: @Sendable () -> Date
    private let logger: Logger
    private let misses = Miss.Flights(merge: MissRequest.merge)
    private let brake: RefreshBrake
    /// Clients that wait for a miss.
    let visitors = Visitors()
    let otherAVIFLooks = OtherAVIFLooks()
    let countedAVIFs = Mutex<(mark: IndexMark?, count: Int)>((nil, 0))
    private let hits = Counter()
    private let missed = Counter()

    var memory: HitMemory { context.memory }
    var thumbnails: StoredThumbnails { context.thumbnails }

    init(
        _ context: Miss.Context, admissions: AdmissionQueues,
        configuration: PipelineConfiguration, logger: Logger
    ) {
        self.context = context
        self.admissions = admissions
        self.configuration = configuration
        self.logger = logger
        now = context.now
        brake = RefreshBrake(configuration.freshness)
    }

    /// Returns the thumbnail of an item, or the placeholder with the failure that it replaces.
    ///
    /// - Throws: ``Failure`` if there isn't even a placeholder:
    ///   - `overloaded`: too many misses or requests wait.
    ///   - `invalid`, `unknownSource`, `unconfigured`: the request or its source is at fault.
    ///   - `diskFull`, `storeUnusable`, `unexpected`: this service is at fault.
    ///   - `canceled`
    package func picture(
        of item: Item, level: Level, format: ThumbnailFormat
    ) async throws(Failure) -> PictureAnswer {
        let answer = try await answer(item, level, format)
        switch answer.outcome {
        case .hit, .stale: hits.add()
        case .miss, .collapsed, .renewed: missed.add()
        }
        return answer
    }

    /// Answers of ``picture(of:level:format:)`` since the start. Hits of callers that keep them are
    /// not counted.
    var served: ServedCounts { ServedCounts(hits: hits.value, misses: missed.value) }

    private func answer(
        _ item: Item, _ level: Level, _ format: ThumbnailFormat
    ) async throws(Failure) -> PictureAnswer {
        let key = self.key(item, level, format)
        return try await Failure.catching { [self] in
            if let known = try await known(key) {
                guard known.wantsRefresh(at: now()) else {
                    let isFresh = known.freshUntil > now() || known.isPlaceholder
                    return PictureAnswer(picture: known, outcome: isFresh ? .hit : .stale)
                }
                // After a remembered failure has expired, the caller waits for a new try. A stale
                // picture is served at once and refreshed in the background.
                if !known.isPlaceholder {
                    refresh(key)
                    return PictureAnswer(picture: known, outcome: .stale)
                }
            }
            let missed = try await miss(
                item, MissRequest(siblings(key), showing: [key.rendition]))
            guard let picture = missed.result.pictures[key.rendition] else {
                throw context.originals.failure(
                    .unavailable, "The thumbnail was purged while it was rendered.")
            }
            return PictureAnswer(
                picture: picture, outcome: missed.joined ? .collapsed : .miss,
                timings: missed.result.timings)
        }
    }

    /// Returns the thumbnail if it is in memory; never waits.
    package func hit(of item: Item, level: Level, format: ThumbnailFormat) -> Hit? {
        memory.hit(self.key(item, level, format))
    }

    /// Whether this process has had an AVIF since its start.
    package var knowsAVIF: Bool { memory.knowsAVIF }

    /// Returns whether this process knows that a thumbnail is stored; never waits.
    package func isKnown(_ item: Item, level: Level, format: ThumbnailFormat) -> Bool {
        if let hit = hit(of: item, level: level, format: format) { return !hit.isPlaceholder }
        return memory.stored(name(of: item, level: level, format: format)) != nil
    }

    /// Returns whether a thumbnail is stored, and takes it into memory then. No origin is asked.
    package func isStored(
        _ item: Item, level: Level, format: ThumbnailFormat
    ) async throws(Failure) -> Bool {
        let key = self.key(item, level, format)
        return try await Failure.catching { [self] in
            try await known(key).map { !$0.isPlaceholder } ?? false
        }
    }

    /// Returns the name under which ``stored(_:)`` knows a picture.
    package func name(of item: Item, level: Level, format: ThumbnailFormat) -> Fingerprint {
        Fingerprint(self.key(item, level, format))
    }

    /// Bytes for a caller's table of such names.
    package var namesBytes: Int { memory.namesBytes }

    /// Returns what is known of a thumbnail on disk; never waits.
    package func stored(_ name: Fingerprint) -> StoredPicture? { memory.stored(name) }

    /// Corrects ``StoredPicture/isInMemory`` after ``hit(of:level:format:)`` found nothing.
    package func isNotInMemory(_ name: Fingerprint) { memory.isNotInMemory(name) }

    /// Reads the bytes of a stored thumbnail on the calling thread. If they are gone or damaged,
    /// ``picture(of:level:format:)`` finds out why and makes the thumbnail again.
    ///
    /// - Parameters:
    ///   - bytes: has room for one byte more than the picture has.
    ///   - mayWait: whether the thread may wait for the disk.
    package func read(
        _ picture: StoredPicture, _ name: Fingerprint,
        into bytes: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) -> DirectRead {
        let outcome = thumbnails.blobs.read(
            picture.digest, known: picture.stamp, into: bytes, mayWait: mayWait)
        switch outcome {
        case .whole(let stamp):
            if stamp != picture.stamp { memory.setStamp(stamp, of: picture, name) }
        case .waits: break
        case .unusable: memory.forget(picture, name)
        }
        return outcome
    }

    /// Runs `work`, which may wait for the disk, on one of the store's threads.
    package func onThread(_ work: @escaping @Sendable () -> Void) {
        thumbnails.blobs.onThread(work)
    }

    /// Counts a use of a stored thumbnail whose bytes are not needed.
    package func use(_ picture: StoredPicture) { thumbnails.blobs.touch(picture.digest) }

    /// Returns whether a stored thumbnail that was read for a response should come into memory.
    package func admits(_ picture: StoredPicture, _ name: Fingerprint) -> Bool {
        !picture.life.hasFailed && memory.admits(name, bytes: picture.byteCount)
    }

    /// Puts a stored thumbnail into memory, unless its bytes don't match or it was replaced or removed
    /// meanwhile. Returns the hit if memory has it now.
    package func admit(
        _ picture: StoredPicture, _ bytes: [UInt8], of item: Item, level: Level,
        format: ThumbnailFormat
    ) -> Hit? {
        // Bytes that stay are compared with the digest, whatever is known of their file.
        guard let whole = picture.picture(bytes), Digest(of: bytes) == picture.digest else {
            return nil
        }
        let key = self.key(item, level, format)
        return memory.admit(whole, as: picture, key)
    }

    /// Refreshes a stored thumbnail in the background. Concurrent calls start one refresh.
    package func refresh(_ item: Item, level: Level, format: ThumbnailFormat) {
        refresh(self.key(item, level, format))
    }

    /// Adds bytes that a caller keeps for a hit to the hit's size. They are negative when the
    /// caller drops them. Does nothing for a hit that left memory.
    package func addCost(_ bytes: Int, of hit: Hit) {
        memory.addCost(bytes, of: hit)
    }

    /// Hits that left memory since the start. Callers that cache hits re-check them when this
    /// changes.
    package var retiredHits: Int { memory.retired.value }

    /// Makes and stores those `renditions` of an item that are missing or have expired. It takes no
    /// place in the queue of misses, because the caller limits its work itself.
    ///
    /// - Throws: as ``picture(of:level:format:)``, except `overloaded` by the queue.
    package func ensure(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(Failure) -> MissResult {
        try await Failure.catching { [self] in
            try await join(item, MissRequest(adapted(renditions, to: item)), .unbounded).result
        }
    }

    /// Number of callers that wait for the miss of that item.
    package func waiting(for item: Item) -> Int { misses.waiting(for: item) }

    /// Waits until what was answered already, for these items, is stored.
    package func settled(where isMeant: (Item) -> Bool = { _ in true }) async {
        await misses.settled(where: isMeant)
    }

    /// Number of misses in flight.
    var missCount: Int { misses.count }

    /// Refreshes a hit in the background. Concurrent calls start one refresh.
    package func refresh(_ hit: Hit) { refresh(hit.key) }

    /// Resolves the item again in the background. One refresh runs however many hits are stale, and
    /// none soon after a failed one.
    func refresh(_ key: PictureKey) {
        guard brake.begin(key.item, at: now()) else { return }
        // Unstructured, because the response does not wait for it.
        Task { [self] in
            let isRefreshed: Bool
            do {
                let result = try await join(
                    key.item,
                    MissRequest(siblings(key), needing: [key.rendition]), .ifFree
                ).result
                isRefreshed = !result.isStale && result.failure == nil
            } catch {
                // The miss logged why.
                isRefreshed = false
            }
            brake.end(key.item, isRefreshed: isRefreshed, at: now())
            StateChange.tell()
        }
    }

    /// Joins the miss of that item in flight, or starts one. The number of requests that wait for
    /// misses is limited.
    func miss(
        _ item: Item, _ request: MissRequest
    ) async throws -> (result: MissResult, joined: Bool) {
        try await visitors.during {
            try await admissions.requests.run(.init(item), .none) {
                try await join(item, request, .queued)
            }
        }
    }

    private func join(
        _ item: Item, _ request: MissRequest, _ admission: AdmissionQueues.MissAdmission
    ) async throws -> (result: MissResult, joined: Bool) {
        let joined = try await joinOnce(item, request, admission)
        // The joined miss was rejected because of the client that started it, so try with this
        // client's share.
        if joined.joined, case .failure(let failure) = joined.result, failure.kind == .overloaded {
            let own = try await joinOnce(item, request, admission)
            return (try own.result.get(), own.joined)
        }
        return (try joined.result.get(), joined.joined)
    }

    private func joinOnce(
        _ item: Item, _ request: MissRequest, _ admission: AdmissionQueues.MissAdmission
    ) async throws -> (result: Result<MissResult, Failure>, joined: Bool) {
        let share = FairQueue.Share(item)
        let landing = await misses.value(for: item, request) { [self] requests in
            do throws(Failure) {
                let result = try await Failure.catching {
                    try await admissions.miss(share, admission) { [self] visit in
                        try await Claims.withPatience {
                            // Another process may make the same pictures. Then this miss finds them.
                            let claim = try await context.claims.claim("item:\(item)")
                            defer { withExtendedLifetime(claim) {} }
                            if claim?.wasAwaited == true,
                                let result = try await stored(item, requests)
                            {
                                return result
                            }
                            if let result = try await restored(item, requests) { return result }
                            var miss = try Miss(item, requests, context, visit)
                            return try await miss.run()
                        }
                    }
                }
                log(result, of: item)
                return .success(result)
            } catch {
                log(error, of: item)
                return .failure(error)
            }
        }
        guard let landing else { throw CancellationError() }
        return (landing.value, landing.joined)
    }

    /// Returns the pictures that another node has made, after they came into this node's cache; nil
    /// if one is missing or has expired.
    private func restored(
        _ item: Item, _ requests: Miss.Flights.Orders
    ) async throws -> MissResult? {
        guard let shared = context.shared, !isFile(item) else { return nil }
        let start = ContinuousClock.now
        while true {
            let request = requests.update { $0 }
            guard !request.wantsOriginal,
                try await shared.restore(item, request.needed)
            else { return nil }
            if var result = try await stored(item, requests, orFailures: true) {
                result.timings.fetch = start.duration(to: .now)
                return result
            }
            // What a caller needs that has joined meanwhile may be there, too, perhaps as thumbnails of
            // another original.
            guard requests.update({ $0.needed }) != request.needed else { return nil }
        }
    }

    /// Returns the pictures that another process has made meanwhile, perhaps from another candidate;
    /// nil if one is missing.
    ///
    /// - Parameter orFailures: accepts placeholders of failures that are remembered.
    private func stored(
        _ item: Item, _ requests: Miss.Flights.Orders, orFailures: Bool = false
    ) async throws -> MissResult? {
        let request = requests.update { $0 }
        guard !request.wantsOriginal else { return nil }
        var result = MissResult(trace: Trace(resolvedAt: now()))
        for rendition in request.needed {
            let picture = try await known(PictureKey(item: item, rendition: rendition))
            guard let picture, orFailures || !picture.isPlaceholder, picture.freshUntil > now()
            else { return nil }
            if picture.isPlaceholder { result.failure = picture.failure }
            result.pictures[rendition] = picture
        }
        result.reused = request.needed.count
        // A caller that has joined since may need more.
        let isAll = requests.update { newest in
            guard newest.needed == request.needed, !newest.wantsOriginal else { return false }
            newest.renditions = newest.needed
            newest.stage = .published
            return true
        }
        return isAll ? result : nil
    }

    private func log(_ result: MissResult, of item: Item) {
        // A warm run names its failures itself.
        guard let failure = result.failure, RunMeter.current == nil else { return }
        // An absent picture is normal, and a remembered failure was logged before.
        let isNews =
            failure.kind != .absent && result.trace.steps.contains { $0.outcome == .failed }
        logger.log(
            level: isNews ? .notice : .debug, "no picture",
            metadata: [
                "item": "\(item.shown)", "kind": "\(failure.kind.rawValue)",
                "reason": "\(failure.reason)",
            ])
    }

    private func log(_ error: Failure, of item: Item) {
        // These are not worth a log line per item: the client gets the reason, and logging every
        // rejection would add to the load.
        let level: Logger.Level =
            switch error.kind {
            case .unconfigured, .overloaded, .canceled: .debug
            default: RunMeter.current == nil ? .warning : .debug
            }
        logger.log(
            level: level, "miss failed", metadata: ["item": "\(item.shown)", "error": "\(error)"])
    }

    private func key(_ item: Item, _ level: Level, _ format: ThumbnailFormat) -> PictureKey {
        PictureKey(
            item: item,
            rendition: Rendition(
                level: context.sources.level(level, of: item), format: format))
    }

    /// Returns renditions as they are for an item.
    func adapted(_ renditions: Set<Rendition>, to item: Item) -> Set<Rendition> {
        Set(renditions.map { context.sources.rendition($0, of: item) })
    }

    /// Returns the thumbnail from memory, or from disk into memory, or nil if none is stored.
    private func known(_ key: PictureKey) async throws -> Picture? {
        let hit = memory.hit(key)
        let folder = context.folders.folder(of: key.item)
        if let hit, hit.isCredible(at: now()),
            folder == nil || !hit.wantsRefresh(at: now()) && mayKeep(key.item)
        {
            return hit.picture
        }
        let epoch = memory.epoch(of: key.item)
        guard
            let picture = try await folder == nil
                ? thumbnails.picture(key) : ofFile(key, folder)
        else { return nil }
        memory.insert(picture, key, since: epoch, replacing: hit)
        return picture
    }

    /// Returns the stored thumbnail if its file is as it was then.
    private func ofFile(_ key: PictureKey, _ folder: FolderSource?) async throws -> Picture? {
        switch try await context.folders.state(of: key.item) {
        case .unchanged(let digest)?:
            guard var picture = try await thumbnails.picture(key, of: digest) else { return nil }
            if let folder, picture.failure == nil {
                picture.freshUntil = max(
                    picture.freshUntil, context.folders.freshUntil(folder))
            }
            return picture
        case .rejected?: return try await thumbnails.picture(key)
        case .changed?, nil: return nil
        }
    }

    /// Returns the wanted rendition and the smaller levels, which are rendered with it.
    private func siblings(_ wanted: PictureKey) -> Set<Rendition> {
        let level = wanted.rendition.level
        let smaller = configuration.levels.filter {
            $0.width <= level.width && $0.height <= level.height
        }.map { context.sources.level($0, of: wanted.item) }
        return Set(
            (smaller + [level]).map { Rendition(level: $0, format: wanted.rendition.format) })
    }
}

/// A thumbnail, and how it was obtained.
package struct PictureAnswer: Sendable {
    package var picture: Picture
    package var outcome: CacheOutcome
    /// The durations of the miss that made it; nil for a stored picture.
    package var timings: MissTimings?
}
