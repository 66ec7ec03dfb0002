package import Catalog
import FoundationEssentials
import Hashing
package import Imaging
import Logging
package import Memory
package import Store
import Threads

/// Pictures of items: from memory, from disk, or from a ``Miss`` that concurrent callers share.
package final class Pictures: Sendable {
    var configuration: PipelineConfiguration { context.editions.current.configuration }
    let context: MissContext
    let now: @Sendable () -> Date
    let misses: Misses
    /// Clients that wait for a miss.
    let visitors: Visitors
    private let hits = Counter()
    private let missed = Counter()

    var memory: HitMemory { context.memory }
    var thumbnails: StoredThumbnails { context.thumbnails }

    init(
        _ context: MissContext, load: LoadPolicy, logger: Logger
    ) {
        self.context = context
        let visitors = Visitors(context.thumbnails.index.claims)
        self.visitors = visitors
        now = context.now
        misses = Misses(context, load, visitors, logger)
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
        if let answer = try await blocked(item, level, format) { return answer }
        let kept = await pictured(item)
        if kept != item, let answer = try await blocked(kept, level, format) { return answer }
        let answer = try await answer(kept, level, format)
        switch answer.outcome {
        case .hit, .stale: hits.add()
        case .miss, .collapsed, .renewed: missed.add()
        }
        return answer
    }

    /// Returns the placeholder of a blocked item; nil for any other.
    private func blocked(
        _ item: Item, _ level: Level, _ format: ThumbnailFormat
    ) async throws(Failure) -> PictureAnswer? {
        guard let failure = context.blocks.failure(of: item) else { return nil }
        return try await Failure.catching { [self] in
            PictureAnswer(
                picture: try await thumbnails.placeholder(
                    key(item, level, format).rendition, failure), outcome: .hit)
        }
    }

    /// Throws the failure of a blocked item. Returns the name under which its picture is kept.
    func shownPictured(_ item: Item) async throws(Failure) -> Item {
        if let failure = context.blocks.failure(of: item) { throw failure }
        let kept = await pictured(item)
        if kept != item, let failure = context.blocks.failure(of: kept) { throw failure }
        return kept
    }

    /// Answers of ``picture(of:level:format:)`` since the start. Hits of callers that keep them are
    /// not counted.
    var served: ServedCounts { ServedCounts(hits: hits.value, misses: missed.value) }

    private func answer(
        _ item: Item, _ level: Level, _ format: ThumbnailFormat
    ) async throws(Failure) -> PictureAnswer {
        let key = self.key(item, level, format)
        if let known = context.pictureInMemory(key), let answer = hit(known, key) { return answer }
        return try await Failure.catching { [self] in
            // What follows waits for the disk. On the store's threads it does so without a change of
            // threads for each step.
            try await withTaskExecutorPreference(thumbnails.blobs.executor) {
                if let known = try await context.picture(key), let answer = hit(known, key) {
                    return answer
                }
                return try await miss(key)
            }
        }
    }

    /// Returns nil if the caller waits for a new try, because a remembered failure has expired. A stale
    /// picture is answered at once and refreshed in the background.
    private func hit(_ known: Picture, _ key: PictureKey) -> PictureAnswer? {
        if known.wantsRefresh(at: now()) {
            if known.isPlaceholder { return nil }
            refresh(key)
            return PictureAnswer(picture: known, outcome: .stale)
        }
        let isFresh = known.freshUntil > now() || known.isPlaceholder
        return PictureAnswer(picture: known, outcome: isFresh ? .hit : .stale)
    }

    private func miss(_ key: PictureKey) async throws -> PictureAnswer {
        let missed = try await misses.visit(
            key.item, MissRequest(siblings(key), showing: [key.rendition]))
        guard let picture = missed.result.pictures[key.rendition] else {
            throw context.originals.failure(
                .unavailable, "The thumbnail was purged while it was rendered.")
        }
        return PictureAnswer(
            picture: picture, outcome: missed.joined ? .collapsed : .miss,
            timings: missed.result.timings)
    }

    /// Returns the thumbnail if it is in memory; never waits.
    package func hit(of item: Item, level: Level, format: ThumbnailFormat) -> Hit? {
        memory.hit(self.key(item, level, format))
    }

    /// Returns whether this process knows that a thumbnail is stored; never waits.
    package func isKnown(_ item: Item, level: Level, format: ThumbnailFormat) -> Bool {
        if let hit = hit(of: item, level: level, format: format) { return !hit.isPlaceholder }
        return memory.stored.value(name(of: item, level: level, format: format)) != nil
    }

    /// Returns whether a thumbnail is stored, and takes it into memory then. No origin is asked.
    package func isStored(
        _ item: Item, level: Level, format: ThumbnailFormat
    ) async throws(Failure) -> Bool {
        if context.blocks.block(of: item) != nil { return false }
        let key = self.key(await pictured(item), level, format)
        return try await Failure.catching { [self] in
            try await context.picture(key).map { !$0.isPlaceholder } ?? false
        }
    }

    /// Returns the name under which ``stored(_:)`` knows a picture.
    package func name(of item: Item, level: Level, format: ThumbnailFormat) -> Fingerprint {
        Fingerprint(self.key(item, level, format))
    }

    /// Bytes for a caller's table of such names.
    package var namesBytes: Int { memory.namesBytes }

    /// Returns what is known of a thumbnail on disk; never waits.
    package func stored(_ name: Fingerprint) -> StoredPicture? { memory.stored.value(name) }

    /// Corrects ``StoredPicture/isInMemory`` after ``hit(of:level:format:)`` found nothing.
    package func isNotInMemory(_ name: Fingerprint) {
        memory.stored.setInMemory(false, name)
    }

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
            picture.facts.digest, known: picture.stamp, into: bytes, mayWait: mayWait)
        switch outcome {
        case .whole(let stamp):
            if stamp != picture.stamp { memory.stored.setStamp(stamp, of: picture, name) }
        case .waits: break
        case .unusable: memory.forget(picture, name)
        }
        return outcome
    }

    /// Returns the open file of a stored thumbnail that was read before, for callers that let the
    /// kernel send it; nil if none is kept, or it has changed. Counts a use.
    package func file(of picture: StoredPicture) -> VerifiedFile? {
        guard let file = thumbnails.blobs.keptFile(picture.facts.digest) else { return nil }
        return file.byteCount == picture.facts.byteCount ? file : nil
    }

    /// See ``BlobStore/lendFiles(_:)``.
    package func lendFiles(_ lender: Room.Lender) { thumbnails.blobs.lendFiles(lender) }

    /// Files that are open: because a response is sent from them, and for the next response.
    package var openFiles: (responses: Int, kept: Int) { thumbnails.blobs.openFiles }

    /// Files that responses may open at a time, besides those that others lend.
    package var responseFilesLimit: Int { thumbnails.blobs.responseFilesLimit }

    /// Closes the files of thumbnails that other processes have removed. Returns at once.
    package func closeRemovedFiles() { thumbnails.blobs.closeRemovedFiles() }

    /// Runs `work`, which may wait for the disk, on one of the store's threads.
    package func onThread(_ work: @escaping @Sendable () -> Void) {
        thumbnails.blobs.onThread(work)
    }

    /// Counts a use of a stored thumbnail whose bytes are not needed.
    package func use(_ picture: StoredPicture) { thumbnails.blobs.touch(picture.facts.digest) }

    /// Returns whether a stored thumbnail that was read for a response should come into memory.
    package func admits(_ picture: StoredPicture, _ name: Fingerprint) -> Bool {
        !picture.life.hasFailed && memory.admits(name, bytes: picture.facts.byteCount)
    }

    /// Puts a stored thumbnail into memory, unless its bytes don't match or it was replaced or removed
    /// meanwhile. Returns the hit if memory has it now.
    package func admit(
        _ picture: StoredPicture, _ bytes: [UInt8], of item: Item, level: Level,
        format: ThumbnailFormat
    ) -> Hit? {
        // Bytes that stay are compared with the digest, whatever is known of their file.
        guard let whole = picture.picture(bytes), Digest(of: bytes) == picture.facts.digest else {
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
            let kept: Item
            do throws(Failure) {
                kept = try await shownPictured(item)
            } catch {
                guard error.isOfBlock else { throw error }
                var result = MissResult(trace: Trace(resolvedAt: now()))
                result.failure = error
                return result
            }
            return try await misses.join(
                kept, MissRequest(adapted(renditions, to: kept)), nil
            ).result
        }
    }

    /// Number of callers that wait for the miss of that item.
    package func waiting(for item: Item) -> Int { misses.waiting(for: item) }

    /// Waits until what was answered already, for these items, is stored.
    package func settled(where isMeant: (Item) -> Bool = { _ in true }) async {
        await misses.settled(where: isMeant)
    }

    /// Refreshes a hit in the background. Concurrent calls start one refresh.
    package func refresh(_ hit: Hit) { refresh(hit.key) }

    func refresh(_ key: PictureKey) {
        misses.refresh(key.item, MissRequest(siblings(key), needing: [key.rendition]))
    }

    /// Returns the name under which an item's picture is kept. It is another one for items of lists, whose
    /// pictures are kept by their URLs.
    func pictured(_ item: Item) async -> Item {
        await context.sources.pictured(item, api: context.catalog.api)
    }

    /// Returns the same if it is known, and not blocked; never waits.
    package func knownPictured(_ item: Item) -> Item? {
        if context.blocks.block(of: item) != nil { return nil }
        guard let list = context.sources.list(item.source) else { return item }
        return list.known(item)
    }

    /// Returns whether an item's picture may change between two requests without a notice.
    package func isListed(_ item: Item) -> Bool { context.sources.list(item.source) != nil }

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
