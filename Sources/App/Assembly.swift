package import Catalog
import Fetch
package import Fleet
import Folders
import Glibc
import Imaging
import Logging
import Memory
import Metrics
import Objects
package import Pipeline
package import Serve
import Store
import Threads
package import WorkQueue

/// The one place where the modules are built and put together.
package struct Assembly: Sendable {
    package let pipeline: MediaPipeline
    /// This process as a node; nil on a machine that works alone.
    package let fleet: FleetNode?
    /// Tells caches in front of purges; nil without any.
    package let purgeCalls: PurgeCalls?
    /// Sends traces of misses; nil if no collector is named.
    private let traces: TraceExport?
    /// Connections that a server of this process accepts.
    private let connections: Int
    /// The metrics of all modules.
    let registry = MetricRegistry()
    private let fetcher: Fetcher
    private let watches: DirectoryWatches?
    private let logger: Logger
    /// Asks the shared store and nothing else.
    private let endpoints: Fetcher?
    private let renderer: Renderer
    private let index: Index
    private let journal: RenderJournal
    private let userData: UserData

    /// Bytes that the scrub reads per second: a terabyte in twelve days, at a hundredth of what a disk reads.
    private static let scrubRate = 1 << 20

    /// Opens the cache and starts the threads of every stage.
    ///
    /// - Parameter role: of this node, if the settings name a queue; nil to work alone.
    /// - Throws: `StoreError` if the cache can't be opened, ``ConfigurationError`` for a bad
    ///   placeholder, `ImagingError` and `FetchError` if a stage can't be started, `QueueError`.
    package static func open(
        _ settings: Settings, as role: NodeReport.Role? = nil
    ) async throws -> Assembly {
        var hub: Hub?
        if role != nil, settings.queue != nil { hub = try await openHub(settings) }
        do {
            // Opening the store blocks, so it runs on file threads.
            return try await FileThreads.run { [hub] in
                // Before anything is made in it.
                if role == .serve { settings.warnOfRights() } else { settings.takeRightsOfCache() }
                let isNew = !LocalFile.isDirectory(settings.cacheDirectory)
                let assembly = try Assembly(settings, hub, role)
                if isNew {
                    Logger(label: "vitrine").notice(
                        "A new cache was made. Name another with --cache or cache.directory.",
                        metadata: ["directory": "\(settings.absoluteCacheDirectory)"])
                }
                return assembly
            }
        } catch {
            await hub?.close()
            throw error
        }
    }

    /// Opens the cache and the stages, calls `body`, and closes them in any case.
    package static func during<Value>(
        _ settings: Settings, as role: NodeReport.Role? = nil,
        _ body: (Assembly) async throws -> Value
    ) async throws -> Value {
        let assembly = try await open(settings, as: role)
        return try await withEnd({ try await assembly.close() }) { try await body(assembly) }
    }

    private init(_ settings: Settings, _ hub: Hub?, _ role: NodeReport.Role?) throws {
        let logger = Logger(label: "vitrine")
        self.logger = logger
        try settings.checkProcessLimits()
        let shares = try settings.divideOpenFiles()
        connections = shares.connections
        if role == .serve, settings.wantedConnections < settings.server.maxConnections {
            logger.notice(
                """
                memory.budget has room for fewer connections over TLS than server.maxConnections. Idle ones \
                are closed when more clients come.
                """, metadata: ["connections": .stringConvertible(settings.wantedConnections)])
        }
        if role == .serve, connections < settings.wantedConnections {
            logger.warning(
                """
                The limit of open files allows fewer connections than server.maxConnections. Raise it \
                (LimitNOFILE in a systemd unit, ulimit -n in a shell).
                """,
                metadata: [
                    "connections": .stringConvertible(connections),
                    "limit": .stringConvertible(OpenFileLimit.current),
                ])
        }
        // A reload of the settings may add a folder.
        let watches =
            settings.folders.isEmpty && role != .serve || !settings.pipeline.answersHits
            ? nil : DirectoryWatches()
        self.watches = watches
        let sources = Self.sources(
            settings, watches, logger, listPatience: role == .serve ? Self.listPatience : nil)
        var policy = settings.store
        policy.responseFiles = shares.responses
        policy.keptFiles = shares.kept
        policy.report = { event in
            let isGood = event == .caughtUp || event == .roomy
            logger.log(level: isGood ? .notice : .warning, "\(event)")
        }
        let blobs = try BlobStore(root: settings.cacheDirectory, policy: policy)
        index = try Index(root: settings.cacheDirectory, policy: policy)
        journal = RenderJournal(root: settings.cacheDirectory)
        if role != nil, let wanted = settings.wantedAdminAddress,
            let address = settings.adminAddress, address != wanted
        {
            logger.warning(
                """
                There is no admin token, so only this machine reaches server.adminAddress. Set \
                VITRINE_ADMIN_TOKEN to listen elsewhere.
                """, metadata: ["address": "\(address)"])
        }
        if let shortcoming = journal.shortcoming {
            logger.warning(
                "running renders can't be recorded on disk: \(shortcoming)")
        }
        if journal.suspects > 0 {
            logger.notice(
                "a process died during renders; each of these pictures is rendered alone once",
                metadata: ["pictures": .stringConvertible(journal.suspects)])
        }
        userData = try UserData(root: settings.cacheDirectory, policy: policy)
        renderer = try Renderer.open(settings)
        // The names of thumbnails have its version.
        try renderer.openLibraries()
        if let shortcoming = settings.imaging.isolation.shortcoming {
            logger.warning("\(shortcoming)")
        }
        var fetching = Self.fetchConfiguration(settings, sources)
        let rates = SharedRates(of: index)
        let ofMachine = SharedRateLimit { host, rate, begin in
            rates.start(host, count: rate.count, per: rate.per, begin)
        }
        fleet = Self.node(hub, role, index, registry, logger)
        fetching.report = { event in
            if case .down = event {
                logger.warning("\(event)")
            } else {
                logger.notice("\(event)")
            }
        }
        fetching.sharedRates = fleet?.rates.limit(beside: ofMachine) ?? ofMachine
        fetcher = try Fetcher(fetching)
        var dependencies = MediaPipeline.Dependencies(
            sources: sources, fetch: fetcher, renderer: renderer, blobs: blobs,
            index: index, journal: journal, userData: userData, logger: logger)
        let metrics = PipelineMetrics(registry)
        dependencies.metrics = metrics
        dependencies.watches = watches
        dependencies.hostPolicy = { [fetcher] in fetcher.policy(of: $0) }
        let shared = try Self.sharedStore(settings)
        endpoints = shared?.fetcher
        dependencies.objects = shared?.objects
        dependencies.purgeBroadcast = fleet?.purges
        let traced = settings.pipeline.answersHits ? settings.traces : nil
        traces = try TraceExport(traced, settings, registry, logger: logger)
        purgeCalls = try PurgeCalls(settings, metrics: metrics, logger: logger)
        dependencies.purgeHook = purgeCalls
        pipeline = MediaPipeline(dependencies, Self.pipelineConfiguration(settings))
        pipeline.blocking.hold(file: settings.blocked)
    }

    /// Starts eviction, garbage collection, the scrub, and the look for purges of other processes in
    /// the background.
    package func startUpkeep(_ settings: Settings) {
        pipeline.upkeep.start(scrubRate: Self.scrubRate)
        pipeline.purge.startFollowing { [pictures = pipeline.pictures] in
            await pictures.followAVIFs()
        }
        pipeline.uploads?.start()
    }

    /// Replaces what a reload of the settings can replace (``Settings/reloaded(from:)``), or nothing. Blocks.
    ///
    /// - Parameter last: the settings in force.
    /// - Parameter commit: called before the first change, which isn't made if it throws.
    /// - Throws: ``ConfigurationError`` if the placeholder can't be used; what `commit` throws.
    package func reload(
        from last: Settings, to settings: Settings, commit: () throws -> Void = {}
    ) throws {
        let renderer = try renderer.restyled(settings)
        try commit()
        let sources = Self.sources(
            settings, watches, logger, listPatience: Self.listPatience,
            keeping: (last, pipeline.edition.sources))
        fetcher.changePolicies(to: Self.fetchConfiguration(settings, sources))
        pipeline.reload(
            levels: settings.levels, urlSignature: settings.urlSignature, sources: sources,
            renderer: renderer)
        for folder in last.folders where !settings.folders.contains(folder) {
            watches?.end(folder.name)
        }
    }

    /// Records what the file of the settings blocks, and removes what it names for the first time, everywhere.
    ///
    /// - Throws: ``Failure`` of the kinds of a failed store; it is in force on this node all the same.
    package func takeBlocks(_ settings: Settings) async throws(Failure) {
        try await pipeline.blocking.take(file: settings.blocked)
    }

    /// Aborts transfers, finishes running renders, and closes the store.
    ///
    /// - Throws: `StoreError` if the last changes can't be written.
    package func close() async throws {
        await purgeCalls?.close()
        await pipeline.uploads?.stop()
        await fleet?.leave()
        await fetcher.shutdown()
        await renderer.shutdown()
        await pipeline.pictures.settled()
        await traces?.close()
        await endpoints?.shutdown()
        await pipeline.upkeep.stop()
        await pipeline.purge.stopFollowing()
        let (index, journal, userData) = (index, journal, userData)
        try await FileThreads.run { () throws(StoreError) in
            journal.close()
            try userData.close()
            try index.close()
        }
    }

    /// Returns the configuration of the HTTP service.
    package func serverConfiguration(_ settings: Settings) -> ServerConfiguration {
        var configuration = settings.server
        configuration.metrics = registry
        configuration.tracer = traces?.tracer
        configuration.version = Version.number
        configuration.maxConnections = connections
        configuration.offer = settings.adminAddress.map { .pictures(admin: $0) } ?? .everything
        configuration.adminToken = settings.credentials.adminToken.value
            .flatMap { AdminToken($0.reveal()) }
        configuration.userData = settings.userDataAccess
        configuration.routes = RouteOffers(settings.offeredRoutes, builtIn: Self.builtIn)
        configuration.isBehindProxy = settings.namesProxy
        return configuration
    }

    /// Returns the configuration of a server that answers only `/metrics`, `/healthz` and `/readyz`.
    package func operationsConfiguration(
        _ settings: Settings, at address: ListenAddress
    ) -> ServerConfiguration {
        var configuration = serverConfiguration(settings).administration(at: address, .operations)
        if let fleet { configuration.unreadiness = { fleet.unreadiness } }
        return configuration
    }

    /// Counts what a worker of this process does.
    package var workerMetrics: WorkerMetrics { WorkerMetrics(registry) }

    private static func pipelineConfiguration(_ settings: Settings) -> PipelineConfiguration {
        var configuration = settings.pipeline
        configuration.levels = settings.levels
        configuration.urlSignature = settings.urlSignature
        return configuration
    }
}

extension Settings {
    /// Returns how an endpoint of the operator is asked, such as a cache in front or a collector. What
    /// asks it repeats calls itself, and asks one that is down all the same.
    func endpointFetching(within timeout: Duration) -> FetchConfiguration {
        var fetching = FetchConfiguration()
        fetching.reach = .endpoints
        fetching.userAgent = fetch.userAgent
        fetching.caFile = fetch.caFile
        fetching.connectTo = fetch.connectTo
        fetching.connectTimeout = min(fetching.connectTimeout, timeout)
        fetching.totalTimeout = timeout
        fetching.retry.attempts = 1
        fetching.breaker.threshold = .max
        return fetching
    }

    /// The clients that may use favorites and the history. Each node of a fleet has lists of its own, so
    /// the operator chooses the node that keeps them. With a proxy in front, a local connection says nothing of
    /// where the client is.
    var userDataAccess: ServerConfiguration.UserDataAccess {
        guard server.userData == .automatic else { return server.userData }
        return queue != nil || namesProxy ? .off : .automatic
    }

    /// Whether the settings say that a proxy or a cache is in front.
    fileprivate var namesProxy: Bool {
        server.publicURL != nil || !server.hosts.isEmpty || !pipeline.tagFields.isEmpty
            || purgeRequest.url != nil || !purgeCommand.isEmpty
    }

    /// Signs and checks paths of pictures at any URL, with the keys of the settings.
    package var urlSignature: URLSignature {
        URLSignature(keys: credentials.urlKeys.value?.reveal() ?? "")
    }
}

extension Assembly {
    /// Connects to the queue that the settings name.
    ///
    /// - Throws: ``ConfigurationError`` if they name none, `QueueError`, `CancellationError`.
    package static func openHub(_ settings: Settings) async throws -> Hub {
        guard let address = settings.queue else {
            throw ConfigurationError("No queue is named. Use --queue URL, or set queue.")
        }
        if let file = settings.natsCredentialsFile, LocalFile.isIrregular(file) {
            throw ConfigurationError("nats.credentialsFile: \(LocalFileError(irregular: file))")
        }
        return try await Hub.open(
            address,
            QueueCredentials(
                user: settings.credentials.natsUser.value?.reveal(),
                password: settings.credentials.natsPassword.value?.reveal(),
                file: settings.natsCredentialsFile),
            client: "vitrine \(host)")
    }

    static func node(
        _ hub: Hub?, _ role: NodeReport.Role?, _ index: Index, _ registry: MetricRegistry,
        _ logger: Logger
    ) -> FleetNode? {
        guard let hub, let role else { return nil }
        return FleetNode(
            hub, role: role, host: host, version: Version.number,
            position: PurgePosition(of: index),
            metrics: registry, logger: logger)
    }

    /// Returns the node and the store that it shares with others.
    ///
    /// - Throws: ``ConfigurationError`` if the settings name no queue, or one for several machines
    ///   and no store for them.
    package func requireFleet() throws(ConfigurationError) -> (FleetNode, any FleetStore) {
        guard let fleet else {
            throw ConfigurationError("No queue is named. Use --queue URL, or set queue.")
        }
        if !pipeline.shared.isConfigured {
            throw ConfigurationError(
                "Workers of several machines need a store that all of them reach. Set s3.endpoint "
                    + "and s3.bucket.")
        }
        return (fleet, pipeline.shared)
    }

    private static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "node" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
