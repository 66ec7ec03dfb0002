package import Catalog
package import Fetch
package import FoundationEssentials
package import Imaging
package import Logging
package import Memory
package import Store

/// The way of a request. Read this first.
///
/// memory hit → stored thumbnail → one walk along the item's chain, however many ask: catalogue →
/// candidates → original (fetched, or stored) → decode once → every level wanted → stored blobs.
package final class MediaPipeline: Sendable {
    package let configuration: PipelineConfiguration
    package let sources: Sources
    let stages: Stages
    let keepsakes: Keepsakes
    /// The wall clock; a test's own where it was given.
    package let now: @Sendable () -> Date
    private let logger: Logger
    private let fetch: any Fetching
    let hits: MemoryTier<PictureKey, Hit>
    private let retirements = Tally()
    private let walks = ChainWalk.Flights(merge: WalkOrder.merge)
    let admissions: Admissions
    let placeholders: Placeholders
    let sheets = Sheets()
    private let brake: RefreshBrake
    let epochs = Epochs()
    let favoriteLookups: FavoriteLookups
    /// Bytes a hit takes besides its picture: key, list node, prepared headers.
    private static let hitOverhead = 2_048

    package init(
        sources: Sources, fetch: any Fetching, api: any APIReading, renderer: Renderer,
        blobs: BlobStore, index: Index, journal: RenderJournal, keepsakes: Keepsakes,
        configuration: PipelineConfiguration, logger: Logger,
        metrics: PipelineMetrics = PipelineMetrics(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        self.sources = sources
        self.logger = logger
        self.now = now
        self.keepsakes = keepsakes
        self.fetch = fetch
        hits = MemoryTier(
            maxCost: configuration.hitBytes, maxCount: 1_000_000, takeUse: { $0.takeUse() },
            onRemoval: { [retirements] hit in
                hit.retire()
                retirements.add()
            })
        brake = RefreshBrake(configuration.freshness)
        placeholders = Placeholders(renderer)
        admissions = Admissions(configuration.load)
        favoriteLookups = FavoriteLookups(configuration.favorites)
        stages = Stages(
            sources: sources,
            catalog: CatalogCache(
                api: CachedAPI(api, index: index, now: now), index: index,
                configuration: configuration, now: now),
            originals: Originals(
                fetch: fetch, blobs: blobs, index: index, freshness: configuration.freshness,
                maxBytes: configuration.maxOriginalBytes,
                budget: ByteBudget(bytes: configuration.originalBytes), now: now),
            renderer: renderer, blobs: blobs, index: index, configuration: configuration,
            renders: Tally(), metrics: metrics,
            quarantine: RenderQuarantine(
                index: index, journal: journal, recipe: renderer.decoderRecipe),
            now: now)
    }

    /// The configured level of that name.
    package func level(_ name: String) throws(PipelineError) -> Level {
        guard let level = configuration.levels.first(where: { $0.name == name }) else {
            throw .unknownLevel(name: name, known: configuration.levels.map(\.name))
        }
        return level
    }

    /// The item in its canonical form, for callers from outside: pictures at any URL have a door of
    /// their own, ``signedItem(signature:level:encodedURL:expires:)``.
    package func item(source: String, kind: String, id: String) throws(PipelineError) -> Item {
        if source == SignedURL.name {
            throw .catalog(
                .absent(
                    reason: "Pictures at any URL are at /t/{level}/url/{signature}/{base64url}."))
        }
        return try trustedItem(source: source, kind: kind, id: id)
    }

    /// The item of a signed URL; one that is no URL is told as that, whatever its signature.
    package func signedItem(
        signature: String, level: String, encodedURL: String, expires: Int?
    ) throws(PipelineError) -> Item {
        guard configuration.urlSignature.isConfigured else { throw .signature(.unconfigured) }
        let item = try trustedItem(source: SignedURL.name, kind: SignedURL.kind, id: encodedURL)
        do throws(URLSignature.Refusal) {
            try configuration.urlSignature.check(
                signature, level: level, encodedURL: encodedURL, expires: expires, now: now())
        } catch {
            throw .signature(error)
        }
        return item
    }

    /// The item in its canonical form, for the operator, who needs no signature.
    package func trustedItem(
        source: String, kind: String, id: String
    ) throws(PipelineError) -> Item {
        let source = try sources.named(source)
        do throws(CatalogError) {
            return try source.item(kind: kind, id: id)
        } catch {
            throw .catalog(error)
        }
    }

    /// The thumbnail of an item, or the placeholder with the failure in whose place it stands.
    package func picture(
        of item: Item, level: Level, format: ThumbnailFormat
    ) async throws(PipelineError) -> PictureAnswer {
        let key = PictureKey(item: item, rendition: Rendition(level: level, format: format))
        return try await PipelineError.door { [self] in
            if let known = try await known(key) {
                guard known.wantsRefresh(at: now()) else {
                    let isFresh = known.freshUntil > now() || known.isPlaceholder
                    return PictureAnswer(picture: known, outcome: isFresh ? .hit : .stale)
                }
                // A remembered failure that ran out is asked again while the caller waits; a
                // picture is served at once and refreshed behind the caller's back.
                if !known.isPlaceholder {
                    refresh(key)
                    return PictureAnswer(picture: known, outcome: .stale)
                }
            }
            let walked = try await admissions.requests.run(.init(item), .none) {
                try await walk(item, WalkOrder(siblings(key.rendition)), .line)
            }
            return PictureAnswer(
                picture: try await landed(walked.result, key),
                outcome: walked.joined ? .collapsed : .miss, timings: walked.result.timings)
        }
    }

    /// The thumbnail if it is in memory; never waits.
    package func hit(of item: Item, level: Level, format: ThumbnailFormat) -> Hit? {
        hits.value(PictureKey(item: item, rendition: Rendition(level: level, format: format)))
    }

    /// Makes a hit anew behind its callers' backs; once, however often it is told.
    package func refresh(_ hit: Hit) { refresh(hit.key) }

    /// Counts bytes that a caller keeps for a hit as bytes of the hit; below 0 where it keeps them no
    /// longer. Does nothing for a hit that went out of memory.
    package func addCost(_ bytes: Int, of hit: Hit) {
        hits.addCost(bytes, for: hit.key) { $0 === hit }
    }

    /// How many hits went out of memory since the start: who keeps hits looks through them when it
    /// has changed.
    package var retiredHits: Int { retirements.value }

    /// Walks the chain of an item for all of `renditions`, from stored parts where they are fresh.
    ///
    /// Whoever fills the cache bounds that by itself: it neither waits nor is refused here.
    package func ensure(
        _ item: Item, _ renditions: Set<Rendition>
    ) async throws(PipelineError) -> WalkResult {
        try await PipelineError.door { [self] in
            try await walk(item, WalkOrder(renditions), nil).result
        }
    }

    /// Callers that wait for the walk of that item.
    package func waiting(for item: Item) -> Int { walks.waiting(for: item) }

    /// Walks for requests that have an original in hand, and that wait for a host or a place.
    package var walkLoad: (running: Int, waiting: Int) { admissions.walkLoad }

    /// The same for catalogue pages and items that are looked up.
    package var lookupLoad: (running: Int, waiting: Int) { admissions.lookups.load }

    /// Decodes since the start.
    package var renderCount: Int { stages.renders.value }

    /// Chains walked now.
    package var walkCount: Int { walks.count }

    /// Bytes of memory that libvips keeps track of.
    package var libraryMemory: Int { stages.renderer.trackedMemory }

    /// Pictures in memory, their bytes, and how many went for want of room since the start.
    package var memory: (count: Int, bytes: Int, evictions: Int) {
        (hits.count, hits.cost, hits.evictions)
    }

    /// Bytes of originals in flight, and how many wait for room.
    package var originalLoad: ByteBudget.Load { stages.originals.budget.load }

    /// How the origins stand that were asked lately.
    package var origins: [OriginLoad] {
        get async { await fetch.hosts.map(OriginLoad.init) }
    }

    /// What the index knows; counts rows, so not for every request.
    package func statistics() async throws(PipelineError) -> IndexStatistics {
        try await PipelineError.door { [self] in try await stages.index.statistics() }
    }

    /// Blobs found damaged and set aside since the start.
    package var healCount: Int { stages.blobs.healed }

    /// Originals that brought a renderer down since the start.
    package var quarantineCount: Int { stages.quarantine.added.value }

    /// How the store stands: what it could not write or read, and what waits for the disk.
    package var storage: StoreStatus {
        stages.blobs.status + stages.index.status + keepsakes.status
    }

    /// Originals that a process was looking at when it died, and that have not been rendered since.
    package var suspectCount: Int { stages.quarantine.journal.suspects }

    /// The thumbnail from memory, or from disk into memory; `nil` where none is stored.
    private func known(_ key: PictureKey) async throws -> Picture? {
        let hit = hits.value(key)
        if let hit, hit.isCredible(at: now()) { return hit.picture }
        let epoch = epochs.value(of: key.item)
        guard let picture = try await stored(key) else { return nil }
        // A purge or a newer picture may have come meanwhile.
        insert(picture, key) { [epochs] newer in
            (newer == nil || newer === hit) && epochs.value(of: key.item) == epoch
        }
        return picture
    }

    private func insert(
        _ picture: Picture, _ key: PictureKey, where isWanted: (Hit?) -> Bool = { _ in true }
    ) {
        hits.insert(
            Hit(picture, key, at: now()), for: key,
            cost: picture.bytes.count + Self.hitOverhead, where: isWanted)
    }

    private func stored(_ key: PictureKey) async throws -> Picture? {
        let level = key.rendition.level
        guard
            let binding = try await stages.index.binding(
                item: key.item.description, level: level.key)
        else { return nil }
        let policy = configuration.freshness
        let failure = binding.failure.flatMap(Failure.init).map { policy.believed($0, now: now()) }
        guard let original = binding.original else {
            guard let failure else { return nil }
            return try await placeholders.picture(key.rendition, failure)
        }
        guard let thumbnail = try await stages.index.thumbnail(stages.key(original, key.rendition)),
            let bytes = try await stages.blobs.load(thumbnail.digest)
        else { return nil }
        return Picture(
            digest: thumbnail.digest, bytes: bytes, format: key.rendition.format,
            width: thumbnail.width, height: thumbnail.height, renderedAt: thumbnail.renderedAt,
            freshUntil: policy.believed(
                binding.freshUntil, since: binding.resolvedAt, now: now()),
            failure: failure, isPlaceholder: false)
    }

    /// A request for one level also makes its smaller siblings.
    private func siblings(_ wanted: Rendition) -> Set<Rendition> {
        let level = wanted.level
        let smaller = configuration.levels.filter {
            $0.width <= level.width && $0.height <= level.height
        }
        return Set((smaller + [level]).map { Rendition(level: $0, format: wanted.format) })
    }

    /// Joins the walk of that item under way, or starts one, which is admitted; without a mode it is
    /// not bounded.
    func walk(
        _ item: Item, _ order: WalkOrder, _ mode: AdmissionQueue.Mode?
    ) async throws -> (result: WalkResult, joined: Bool) {
        let walked = try await joinOrWalk(item, order, mode)
        // A walk that another client had started was refused for what that client asked besides.
        if walked.joined, case .failure(.overloaded) = walked.result {
            let own = try await joinOrWalk(item, order, mode)
            return (try own.result.get(), own.joined)
        }
        return (try walked.result.get(), walked.joined)
    }

    private func joinOrWalk(
        _ item: Item, _ order: WalkOrder, _ mode: AdmissionQueue.Mode?
    ) async throws -> (result: Result<WalkResult, PipelineError>, joined: Bool) {
        let share = FairQueue.Share(item)
        let landing = await walks.value(for: item, order) { [self] orders in
            do throws(PipelineError) {
                let result = try await PipelineError.door {
                    try await admissions.walk(share, mode) { [stages] visit in
                        var walk = try ChainWalk(item, orders, stages, visit)
                        return try await walk.run()
                    }
                }
                remember(result, item, orders.update { $0.renditions })
                return .success(result)
            } catch {
                // Whoever asks a source without credentials is told; a line for each item would
                // bury the sentence, and a line for each refusal would add to the load.
                var level = Logger.Level.warning
                switch error {
                case .catalog(.unconfigured), .overloaded, .cancelled: level = .debug
                default: break
                }
                logger.log(
                    level: level, "walk failed",
                    metadata: ["item": "\(item.shown)", "error": "\(error)"])
                return .failure(error)
            }
        }
        guard let landing else { throw CancellationError() }
        return (landing.value, landing.joined)
    }

    /// Puts what a walk made where hits are found, and drops what it made outdated.
    private func remember(_ result: WalkResult, _ item: Item, _ renditions: Set<Rendition>) {
        epochs.advance(item)
        for rendition in renditions {
            let key = PictureKey(item: item, rendition: rendition)
            if let picture = result.rendered[rendition] {
                insert(picture, key)
            } else {
                hits.remove(key)
            }
        }
        guard let failure = result.failure else { return }
        // That a source has no picture is normal, and what is remembered was told before.
        let isNews =
            failure.kind != .absent && result.trace.steps.contains { $0.outcome == .failed }
        logger.log(
            level: isNews ? .notice : .debug, "no picture",
            metadata: [
                "item": "\(item.shown)", "kind": "\(failure.kind.rawValue)",
                "reason": "\(failure.reason)",
            ])
    }

    /// What a finished walk gives for one of the renditions it was asked for.
    private func landed(_ result: WalkResult, _ key: PictureKey) async throws -> Picture {
        if let picture = result.rendered[key.rendition] { return picture }
        if let picture = try await known(key) { return picture }
        let failure =
            result.failure
            ?? stages.originals.failure(.unavailable, "The thumbnail was lost while it was made.")
        return try await placeholders.picture(key.rendition, failure)
    }

    /// Walks the chain anew behind the caller's back; once, however many hits are stale, and not soon
    /// again where it failed.
    func refresh(_ key: PictureKey) {
        guard brake.begin(key.item, at: now()) else { return }
        // Unstructured, because the answer does not wait for it.
        Task { [self] in
            let isRefreshed: Bool
            do {
                let walked = try await walk(
                    key.item, WalkOrder(siblings(key.rendition)), AdmissionQueue.Mode.none)
                isRefreshed = !walked.result.isStale && walked.result.failure == nil
            } catch {
                // The walk logged why.
                isRefreshed = false
            }
            brake.end(key.item, isRefreshed: isRefreshed, at: now())
            StateChange.tell()
        }
    }
}
