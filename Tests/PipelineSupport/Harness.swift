package import Catalog
package import Fetch
package import Folders
package import FoundationEssentials
package import Imaging
package import Logging
package import Objects
package import Pipeline
package import Store
import Synchronization
package import TestSupport

/// A whole pipeline on a cache of its own, in front of an origin that plays the catalogs.
package final class Harness: Sendable {
    package let origin: OriginServer
    package let directory: TemporaryDirectory
    package let clock: ManualClock
    private let authority: CertificateAuthority
    private let fetching: FetchConfiguration
    private let hastyOrigin: OriginServer?
    private let configuration: PipelineConfiguration
    private let imaging: ImagingConfiguration
    private let metrics: PipelineMetrics
    private let limits: DiskLimits
    private let objects: (any ObjectStore)?
    private let hook: (any PurgeHook)?
    private let folders: [Folder]
    private let lists: [ListDefinition]
    private let parts: Mutex<Parts>

    private struct Parts {
        var pipeline: MediaPipeline
        var fetcher: Fetcher
        var renderer: Renderer
        var index: Index
        var userData: UserData
    }

    /// Files that responses may have open.
    package static let responseFiles = 64
    package static let silentLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    package static let apiHost = "api.tvmaze.com"
    package static let imageHost = "static.tvmaze.com"
    private static let hosts =
        [apiHost, imageHost] + museumHosts + iTunesHosts + spotifyHosts + tmdbHosts

    /// Client id, client secret and read token; then what the origin gives for them.
    package static let secrets = ["geheim-1", "geheim-2", "geheim-3", "geheim-token"]

    package var pipeline: MediaPipeline { parts.withLock { $0.pipeline } }

    /// `adjust` changes how the origin is asked, `configure` what the pipeline may do. Clients have
    /// all the `patience` that a busy machine needs, in seconds; so have requests to the origin,
    /// but where they are `hasty` they end as too slow when it falls silent.
    package init(
        patience: TimeInterval = 600, hasty: Bool = false,
        imaging: ImagingConfiguration = .patient,
        metrics: PipelineMetrics = PipelineMetrics(), limits: DiskLimits = .none,
        objects: (any ObjectStore)? = nil, folders: [Folder] = [],
        lists: [ListDefinition] = [], hook: (any PurgeHook)? = nil,
        _ adjust: (inout FetchConfiguration) -> Void = { _ in },
        configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try await OriginServer.start(
            .tls(authority, names: Self.hosts))
        let directory = try TemporaryDirectory()
        self.authority = authority
        clock = ManualClock()
        self.origin = origin
        self.directory = directory
        var fetching = FetchConfiguration()
        fetching.connectTo = Self.hosts.map { origin.connectTo(host: $0) }
        fetching.caFile = authority.file
        fetching.allowedNetworks = [Network("127.0.0.0/8")].compactMap(\.self)
        fetching.connectTimeout = .seconds(600)
        fetching.lowSpeedTime = .seconds(600)
        fetching.totalTimeout = .seconds(1_200)
        fetching.retry.baseDelay = .milliseconds(1)
        fetching.retry.maxDelay = .milliseconds(2)
        adjust(&fetching)
        self.fetching = fetching
        var configuration = PipelineConfiguration()
        configuration.catalog.patience = patience
        configure(&configuration)
        self.configuration = configuration
        self.imaging = imaging
        self.metrics = metrics
        self.limits = limits
        self.objects = objects
        self.hook = hook
        self.folders = folders
        self.lists = lists
        hastyOrigin = hasty ? origin : nil
        parts = Mutex(
            try Self.open(
                fetching, hastyOrigin, configuration, directory, clock, imaging, metrics, limits,
                objects, folders, lists, hook))
    }

    /// Another node with the same shared store, origin and clock, and a cache of its own.
    package init(
        nodeBeside other: Harness, imaging: ImagingConfiguration? = nil,
        configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) throws {
        authority = other.authority
        origin = other.origin
        directory = try TemporaryDirectory()
        clock = other.clock
        fetching = other.fetching
        var configuration = other.configuration
        configure(&configuration)
        self.configuration = configuration
        self.imaging = imaging ?? other.imaging
        metrics = PipelineMetrics()
        limits = other.limits
        objects = other.objects
        hook = other.hook
        folders = other.folders
        lists = other.lists
        hastyOrigin = other.hastyOrigin
        parts = Mutex(
            try Self.open(
                fetching, hastyOrigin, configuration, directory, clock, self.imaging, metrics,
                limits, objects, folders, lists, hook))
    }

    /// Another process with the same cache, origin and clock.
    package init(beside other: Harness, imaging: ImagingConfiguration? = nil) throws {
        authority = other.authority
        origin = other.origin
        directory = other.directory
        clock = other.clock
        fetching = other.fetching
        configuration = other.configuration
        self.imaging = imaging ?? other.imaging
        metrics = PipelineMetrics()
        limits = other.limits
        objects = other.objects
        hook = other.hook
        folders = other.folders
        lists = other.lists
        hastyOrigin = other.hastyOrigin
        parts = Mutex(
            try Self.open(
                fetching, hastyOrigin, configuration, directory, clock, self.imaging, metrics,
                limits, objects, folders, lists, hook))
    }

    /// As after a restart: closes everything and opens the same cache again, without credentials
    /// where they are taken away.
    package func restart(withCredentials: Bool = true) async throws {
        try await close()
        let parts = try Self.open(
            fetching, hastyOrigin, configuration, directory, clock, imaging, metrics, limits,
            objects, folders, lists, hook, withCredentials: withCredentials)
        self.parts.withLock { $0 = parts }
    }

    package func close() async throws {
        let parts = parts.withLock { $0 }
        await parts.pipeline.uploads?.stop()
        await parts.fetcher.shutdown()
        await parts.renderer.shutdown()
        try parts.userData.close()
        try parts.index.close()
    }

    private static func open(
        _ fetching: FetchConfiguration, _ hastyOrigin: OriginServer?,
        _ configuration: PipelineConfiguration, _ directory: TemporaryDirectory,
        _ clock: ManualClock, _ imaging: ImagingConfiguration, _ metrics: PipelineMetrics,
        _ limits: DiskLimits, _ objects: (any ObjectStore)?, _ folders: [Folder],
        _ lists: [ListDefinition], _ hook: (any PurgeHook)?,
        withCredentials: Bool = true
    ) throws -> Parts {
        let fetcher = try Fetcher(fetching)
        let patient: any Fetching =
            hastyOrigin.map { HastyFetch(fetch: fetcher, origin: $0) } ?? fetcher
        let renderer = try Renderer(imaging)
        var policy = StorePolicy(
            unsavedBytes: 64 << 20, pause: .milliseconds(1), maxPause: .milliseconds(5)
        ) { _ in stateChanged() }
        policy.limits = limits
        policy.responseFiles = responseFiles
        let index = try Index(root: directory.path, policy: policy)
        let journal = RenderJournal(root: directory.path)
        let userData = try UserData(root: directory.path, policy: policy)
        let spotify = SpotifyCredentials(clientID: secrets[0], clientSecret: secrets[1])
        let tmdb = TMDBCredentials(secrets[2])
        let sources: [any Source] = [
            TVMaze(), Rijksmuseum(), ITunes(),
            Spotify(credentials: withCredentials ? spotify : nil, now: { clock.now }),
            TMDB(credentials: withCredentials ? tmdb : nil), SignedURL(hosts: []),
        ]
        let watches = folders.isEmpty ? nil : DirectoryWatches()
        let folderSources = folders.map { folder in
            FolderSource(
                FolderFiles(folder, watches: watches),
                isPicture: { ImageFormat.ofFile(head: $0) != nil })
        }
        let listSources = lists.map { list in
            ListSource(ListFile(list, directory: directory.file("lists")) { _ in })
        }
        var dependencies = MediaPipeline.Dependencies(
            sources: Sources(sources + folderSources + listSources), fetch: patient,
            renderer: renderer,
            blobs: try BlobStore(root: directory.path, policy: policy),
            index: index, journal: journal, userData: userData,
            logger: silentLogger)
        dependencies.metrics = metrics
        dependencies.objects = objects
        dependencies.purgeHook = hook
        dependencies.watches = watches
        dependencies.now = { clock.now }
        let pipeline = MediaPipeline(dependencies, configuration)
        return Parts(
            pipeline: pipeline, fetcher: fetcher, renderer: renderer, index: index,
            userData: userData)
    }
}

extension Harness {
    /// Reloads the settings of the pipeline.
    ///
    /// - Parameters:
    ///   - levels: nil for those that are configured.
    ///   - source: the name of a source that is gone.
    package func reload(
        levels: [Level]? = nil, without source: String? = nil,
        _ change: (inout ImagingConfiguration) -> Void = { _ in }
    ) {
        let (renderer, pipeline) = parts.withLock { ($0.renderer, $0.pipeline) }
        var imaging = imaging
        imaging.levels = levels ?? pipeline.configuration.levels
        change(&imaging)
        pipeline.reload(
            levels: imaging.levels, urlSignature: pipeline.configuration.urlSignature,
            sources: Sources(pipeline.sources.all.filter { $0.name != source }),
            renderer: renderer.restyled(imaging))
    }

    package func item(_ id: Int, kind: String = "show") -> Item {
        Item(source: "tvmaze", kind: kind, id: "\(id)")
    }

    package func picture(
        _ id: Int, _ level: String = "m", _ format: ThumbnailFormat = .jpeg, kind: String = "show"
    ) async throws -> PictureAnswer {
        let answer = try await pipeline.pictures.picture(
            of: item(id, kind: kind), level: try pipeline.level(level), format: format)
        await pipeline.pictures.settled { $0 == item(id, kind: kind) }
        return answer
    }

    /// The bytes of a show's original, as `/o` serves them.
    package func original(_ id: Int) async throws -> [UInt8] {
        let answer = try await pipeline.pictures.original(of: item(id))
        guard case .open(let blob) = answer.content else { return [] }
        return try await blob.read(0..<blob.byteCount)
    }

    package var levels: Set<Rendition> {
        Set(
            pipeline.configuration.levels.flatMap { level in
                [Rendition(level: level, format: .webp), Rendition(level: level, format: .jpeg)]
            })
    }
}

extension OriginReply {
    package static func jpeg(_ bytes: [UInt8], maxAge: Int? = nil, tag: String? = nil)
        -> OriginReply
    {
        var headers: [(name: String, value: String)] = []
        if let maxAge { headers.append(("Cache-Control", "max-age=\(maxAge)")) }
        if let tag { headers.append(("ETag", "\"\(tag)\"")) }
        return .ok(bytes, type: "image/jpeg", headers: headers)
    }
}

/// Calls `body` with a pipeline and closes it afterward, also after an error.
package func withHarness<Result>(
    _ harness: Harness, _ body: (Harness) async throws -> Result
) async throws -> Result {
    let result: Result
    do {
        result = try await body(harness)
    } catch {
        // The test's error says more than an error of closing.
        try? await harness.close()
        throw error
    }
    try await harness.close()
    return result
}

/// Calls `body` with a default pipeline.
package func withHarness<Result>(
    _ body: (Harness) async throws -> Result
) async throws -> Result {
    try await withHarness(Harness(), body)
}
