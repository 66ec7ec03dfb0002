package import Catalog
import Fetch
import Folders
package import FoundationEssentials
package import Imaging
import Memory
package import Store
import Threads

/// The services of the pipeline, put together. ``Miss`` processes a cache miss.
package final class MediaPipeline: Sendable {
    /// The settings, as the current request began with them.
    package var configuration: PipelineConfiguration { editions.current.configuration }
    package var sources: Sources { editions.current.sources }
    private let editions: Editions
    package let now: @Sendable () -> Date
    package let pictures: Pictures
    package let catalog: CatalogReader
    package let sheets: Sheets
    /// Parts of pictures in any size.
    package let zoom: Zoom
    package let userData: UserLists
    package let purge: Purge
    /// What the operator never shows.
    package let blocking: Blocking
    package let warm: Warm
    private let watches: DirectoryWatches?
    package let pins: Pins
    package let shared: SharedPictures
    /// Nil without a shared store.
    package let uploads: Uploads?
    /// Eviction, scrub and garbage collection. It works in the background once it is started.
    package let upkeep: Upkeep
    private let dependencies: Dependencies

    package init(_ dependencies: Dependencies, _ configuration: PipelineConfiguration) {
        self.dependencies = dependencies
        let editions = Editions(
            Edition(0, configuration, dependencies.sources, dependencies.renderer))
        self.editions = editions
        now = dependencies.now
        let (blobs, index, renderer) = (
            dependencies.blobs, dependencies.index, dependencies.renderer
        )
        let now = dependencies.now
        let load = configuration.load
        let budget = ByteBudget(bytes: configuration.originalBytes)
        let cache = CatalogCache(
            client: CatalogClient(
                fetch: dependencies.fetch, index: index, metrics: dependencies.metrics,
                bytes: CatalogClient.hopBytes(configuration), budget: budget, now: now),
            index: index, configuration: configuration, now: now)
        let blocks = Blocks(
            dependencies.userData, configuration.freshness, dependencies.logger, now: now)
        let thumbnails = StoredThumbnails(
            blobs: blobs, index: index, editions: editions, blocks: blocks,
            freshness: configuration.freshness, now: now)
        let renders = Renders(
            editions: editions, index: index, journal: dependencies.journal,
            recipe: renderer.decoderRecipe, pyramidLimits: renderer.pyramidLimits,
            metrics: dependencies.metrics, now: now)
        let originals = Originals(
            fetch: dependencies.fetch, metrics: dependencies.metrics, blobs: blobs, index: index,
            blocks: blocks,
            freshness: configuration.freshness, maxBytes: configuration.maxOriginalBytes,
            budget: budget, logger: dependencies.logger, rendersSoon: renders.startsSoon, now: now)
        let folders = FolderOriginals(
            editions: editions, blobs: blobs, index: index, blocks: blocks,
            maxBytes: configuration.maxOriginalBytes,
            budget: budget, freshness: configuration.freshness, now: now)
        let store = dependencies.objects.map { objects in
            SharedStore(
                objects: SharedObjects(
                    objects, patience: configuration.shared.patience,
                    metrics: dependencies.metrics, logger: dependencies.logger),
                editions: editions,
                thumbnails: thumbnails, originals: originals, renders: renders, catalog: cache,
                waiting: WaitingUploads(most: configuration.shared.maxWaiting),
                voids: Voids(now: now),
                metrics: dependencies.metrics, now: now)
        }
        // Parts of pictures take a sixteenth of the memory for hits.
        let cutBytes = configuration.hitBytes / 16
        let context = MissContext(
            editions: editions, catalog: cache, originals: originals, folders: folders,
            renders: renders, thumbnails: thumbnails,
            memory: HitMemory(
                bytes: configuration.hitBytes - cutBytes, isUsed: configuration.answersHits,
                mayInsert: { editions.isNewest },
                mayKeep: { blocks.block(of: $0) == nil && folders.mayKeep($0) }, now: now),
            blocks: blocks, shared: store, now: now)
        pictures = Pictures(context, load: load, logger: dependencies.logger)
        watches = dependencies.watches
        watches?.start { [pictures] in pictures.drop($0) }
        shared = SharedPictures(pictures: pictures, store: store)
        uploads = store.map { [pictures] store in
            Uploads(store, configuration.shared, logger: dependencies.logger) {
                await pictures.visitors.gone()
            }
        }
        catalog = CatalogReader(
            editions: editions, cache: cache,
            lookups: AdmissionQueue(places: load.lookups, line: load.waitingLookups))
        sheets = Sheets(pictures)
        zoom = Zoom(pictures, renderer: renderer, cutBytes: cutBytes)
        let memory = context.memory
        upkeep = Upkeep(
            blobs: blobs, index: index, userData: dependencies.userData,
            inMemory: { memory.digests },
            keptName: { await editions.current.sources.keptName(of: $0, api: cache.api) })
        upkeep.countRequests { [pictures] in pictures.served }
        pins = Pins(
            userData: dependencies.userData, upkeep: upkeep, pictures: pictures)
        userData = UserLists(
            dependencies.userData, pins: pins, catalog: catalog,
            configuration: configuration, now: now)
        purge = Purge(
            pictures, upkeep: upkeep, zoom: zoom, broadcast: dependencies.purgeBroadcast,
            hook: dependencies.purgeHook)
        blocking = Blocking(
            blocks: blocks, purge: purge, pictures: pictures, upkeep: upkeep,
            broadcast: dependencies.purgeBroadcast)
        warm = Warm(
            pictures: pictures, catalog: catalog, purge: purge, pins: pins,
            policy: dependencies.hostPolicy, cores: renderer.load.threads,
            storage: {
                dependencies.blobs.status + dependencies.index.status + dependencies.userData.status
            }, disk: { [upkeep] in upkeep.status })
    }

    /// Drops what is in memory of files that changed before this call. Costs a system call, if folders are
    /// watched.
    package func noticeFiles() { watches?.takeEvents() }

    /// Changes with every change of the favorites, every purge that this process knows of, every change
    /// in a watched folder, and every reload of the settings.
    package var generation: Int {
        userData.changes.value &+ purge.changes.value &+ pictures.context.folders.changes.value
            &+ editions.current.number
    }

    /// What a request begins with now.
    package var edition: Edition { editions.newest }

    /// Increases with each reload of the settings. Costs no lock.
    package var editionNumber: Int { editions.newestNumber }

    /// Runs `work`, and all tasks that it starts, with one edition of the settings.
    ///
    /// - Parameter edition: nil for the one that the caller has.
    package func during<Result>(
        _ edition: Edition? = nil, _ work: () async throws -> Result
    ) async rethrows -> Result {
        try await editions.during(edition, work)
    }

    /// Replaces what a reload of the settings can replace. Work under way ends with what it began with, and
    /// puts nothing more into memory. What memory has of pictures is forgotten; on disk each picture has a
    /// key that says how it was made.
    package func reload(
        levels: [Level], urlSignature: URLSignature, sources: Sources, renderer: Renderer
    ) {
        _ = editions.replace { last in
            var configuration = last.configuration
            configuration.levels = levels
            configuration.urlSignature = urlSignature
            return Edition(last.number + 1, configuration, sources, renderer)
        }
        pictures.memory.removeAll(nil) { _ in true }
        zoom.closePurged()
    }

    /// What is stored about items and pictures, as a mark that changes with it, whichever process
    /// changes it; nil if a change might not show.
    package var storedMark: IndexMark? { dependencies.index.mark }

    /// Returns the configured level of that name.
    package func level(_ name: String) throws(Failure) -> Level {
        guard let level = configuration.levels.first(where: { $0.name == name }) else {
            let known = configuration.levels.map(\.name).joined(separator: ", ")
            throw Failure(
                .unknownLevel, "Level “\(name)” is not configured; configured are \(known).")
        }
        return level
    }

    /// Returns the item in its canonical form, for clients. Pictures at any URL need
    /// ``signedItem(signature:level:encodedURL:expires:)`` instead.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource`, also if the source is not offered, `notFound` for an
    ///   unknown kind, or `invalid`.
    package func item(source: String, kind: String, id: String) throws(Failure) -> Item {
        _ = try sources.offered(source)
        return try catalogItem(source: source, kind: kind, id: id)
    }

    /// Returns the item of a source that needs no signature, for the operator.
    ///
    /// - Throws: as ``trustedItem(source:kind:id:)``.
    package func catalogItem(
        source: String, kind: String, id: String
    ) throws(Failure) -> Item {
        if source == SignedURL.name {
            throw .notFound(
                reason: "Pictures at any URL are at /t/{level}/url/{signature}/{base64url}.")
        }
        return try trustedItem(source: source, kind: kind, id: id)
    }

    /// Returns the item of a signed URL. A malformed URL is reported as such, whatever its
    /// signature.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource` if signed URLs are not offered, `unconfigured` without
    ///   keys, `invalid` for a malformed URL, `badSignature` for a wrong or expired signature.
    package func signedItem(
        signature: String, level: String, encodedURL: String, expires: Int?
    ) throws(Failure) -> Item {
        _ = try sources.offered(SignedURL.name)
        guard configuration.urlSignature.isConfigured else { throw URLSignature.unconfigured }
        let item = try trustedItem(source: SignedURL.name, kind: SignedURL.kind, id: encodedURL)
        try configuration.urlSignature.check(
            signature, level: level, encodedURL: encodedURL, expires: expires, now: now())
        return item
    }

    /// Returns the item in its canonical form, for the operator, who needs no signature.
    ///
    /// - Throws: ``Failure`` of kind `unknownSource`, `notFound` for an unknown kind, or `invalid`.
    package func trustedItem(
        source: String, kind: String, id: String
    ) throws(Failure) -> Item {
        try sources.item(source: source, kind: kind, id: id)
    }

    package var status: PipelineStatus {
        let (blobs, renderer, context) = (
            dependencies.blobs, dependencies.renderer, pictures.context
        )
        return PipelineStatus(
            misses: pictures.misses.count, missLoad: pictures.misses.load,
            lookupLoad: catalog.lookups.load, renderCount: context.renders.count.value,
            renders: renderer.load, childSeconds: renderer.childSeconds,
            libraryMemory: renderer.trackedMemory,
            memory: context.memory.load, catalogBytes: context.catalog.bytes,
            originals: context.originals.budget.load,
            healCount: blobs.healed, blobBytesRead: blobs.bytesRead,
            quarantineCount: context.renders.quarantined.value,
            suspectCount: dependencies.journal.suspects, disk: upkeep.status,
            storage: blobs.status + dependencies.index.status + dependencies.userData.status,
            shared: context.shared?.status)
    }

    /// The state of the origins that were contacted recently.
    package var origins: [OriginLoad] {
        get async { dependencies.metrics.loads(of: await dependencies.fetch.hosts) }
    }

    /// Returns the numbers of stored records. Counts rows, so it is too slow for every request.
    package func statistics() async throws(Failure) -> IndexStatistics {
        try await Failure.catching { [dependencies] in
            try await dependencies.index.statistics()
        }
    }

    /// Returns the items of a source's first kind that got a picture last, the newest first, as far as
    /// their details are stored.
    package func recent(
        of source: any Source, limit: Int
    ) async throws(Failure) -> [CatalogEntry] {
        try await Failure.catching { [self] in
            let list = sources.list(source.name)
            guard let kind = list == nil ? source.kinds.first : ListSource.urlKind else {
                return []
            }
            let items = try await dependencies.index.newestItems(
                of: source.name, kind: kind, limit: limit
            ).compactMap { Item($0) }
            if let list {
                return try await list.entries(showing: items, api: catalog.cache.api)
            }
            let details = try await catalog.cache.storedDetails(of: items)
            return items.compactMap { details[$0]?.document.value.entry }
        }
    }

    /// Renders a small picture on the render threads, as a health check.
    ///
    /// - Throws: ``Failure`` if rendering fails or too many render threads hang.
    package func checkCanary() async throws(Failure) {
        try await Failure.catching { [dependencies] in
            let load = dependencies.renderer.load
            guard !load.isStuck else {
                throw ImagingError.misconfigured(
                    reason: "\(load.overdue) renders hang and can't be stopped, the oldest for"
                        + " \((load.oldest ?? .zero) / .seconds(1)) s; restart the service")
            }
            let level = Level(name: "canary", width: 32, height: 32)
            let rendition = Rendition(level: level, format: .jpeg)
            let drawn = try await dependencies.renderer.placeholder(rendition)
            let rendering = try await dependencies.renderer.render(drawn.bytes, [rendition])
            guard rendering.thumbnails.first?.bytes.isEmpty == false else {
                throw ImagingError.misconfigured(reason: "The canary came out empty.")
            }
        }
    }
}
