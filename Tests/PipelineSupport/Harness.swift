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
    package let directory: TemporaryDirectory
    fileprivate let setup: Setup
    private let parts: Mutex<Parts>

    package var origin: OriginServer { setup.origin }
    package var clock: ManualClock { setup.clock }

    /// What every process of a test has, and what it has again after a restart.
    fileprivate struct Setup {
        var authority: CertificateAuthority
        var origin: OriginServer
        var clock = ManualClock()
        var fetching: FetchConfiguration
        var isHasty: Bool
        var configuration: PipelineConfiguration
        var imaging: ImagingConfiguration
        var metrics: PipelineMetrics
        var limits: DiskLimits
        var objects: (any ObjectStore)?
        var hook: (any PurgeHook)?
        var folders: [Folder]
        var lists: [ListDefinition]
        /// Sources beside those that every test has.
        var sources: [any Source]
    }

    fileprivate struct Parts {
        var pipeline: MediaPipeline
        var fetcher: Fetcher
        var renderer: Renderer
        var index: Index
        var userData: UserData
    }

    /// Files that responses may have open.
    package static let responseFiles = 64
    /// Files that are kept for the next response, or lent to others.
    package static let keptFiles = 16
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
    package convenience init(
        patience: TimeInterval = 600, hasty: Bool = false,
        imaging: ImagingConfiguration = .patient,
        metrics: PipelineMetrics = PipelineMetrics(), limits: DiskLimits = .none,
        objects: (any ObjectStore)? = nil, folders: [Folder] = [],
        lists: [ListDefinition] = [], sources: [any Source] = [],
        hook: (any PurgeHook)? = nil,
        _ adjust: (inout FetchConfiguration) -> Void = { _ in },
        configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) async throws {
        let authority = try CertificateAuthority()
        let origin = try await OriginServer.start(
            .tls(authority, names: Self.hosts))
        var fetching = FetchConfiguration()
        fetching.connectTo = Self.hosts.map { origin.connectTo(host: $0) }
        fetching.caFile = authority.file
        fetching.allowedNetworks = [Network("127.0.0.0/8")].compactMap(\.self)
        fetching.connectTimeout = .seconds(600)
        fetching.lowSpeedTime = .seconds(600)
        fetching.totalTimeout = .seconds(1_200)
        fetching.retry.baseDelay = .milliseconds(1)
        adjust(&fetching)
        var configuration = PipelineConfiguration()
        configuration.catalog.patience = patience
        configure(&configuration)
        try self.init(
            Setup(
                authority: authority, origin: origin, fetching: fetching, isHasty: hasty,
                configuration: configuration, imaging: imaging, metrics: metrics, limits: limits,
                objects: objects, hook: hook, folders: folders, lists: lists, sources: sources),
            TemporaryDirectory())
    }

    /// Another node with the same shared store, origin and clock, and a cache of its own.
    package convenience init(
        nodeBeside other: Harness, imaging: ImagingConfiguration? = nil,
        configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) throws {
        var setup = other.setup
        configure(&setup.configuration)
        setup.imaging = imaging ?? setup.imaging
        setup.metrics = PipelineMetrics()
        try self.init(setup, TemporaryDirectory())
    }

    /// Another process with the same cache, origin and clock.
    package convenience init(
        beside other: Harness, imaging: ImagingConfiguration? = nil
    ) throws {
        var setup = other.setup
        setup.imaging = imaging ?? setup.imaging
        setup.metrics = PipelineMetrics()
        try self.init(setup, other.directory)
    }

    private init(_ setup: Setup, _ directory: TemporaryDirectory) throws {
        (self.setup, self.directory) = (setup, directory)
        parts = Mutex(try setup.open(directory))
    }

    /// As after a restart: closes everything and opens the same cache again, without credentials
    /// where they are taken away.
    package func restart(withCredentials: Bool = true) async throws {
        try await close()
        let parts = try setup.open(directory, withCredentials: withCredentials)
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
}

extension Harness.Setup {
    fileprivate func open(
        _ directory: TemporaryDirectory, withCredentials: Bool = true
    ) throws -> Harness.Parts {
        let fetcher = try Fetcher(fetching)
        let patient: any Fetching =
            isHasty ? HastyFetch(fetch: fetcher, origin: origin) : fetcher
        let renderer = try Renderer(imaging)
        var policy = StorePolicy(
            unsavedBytes: 64 << 20, pause: .milliseconds(1), maxPause: .milliseconds(5)
        ) { _ in stateChanged() }
        policy.limits = limits
        policy.responseFiles = Harness.responseFiles
        // Other tests than those of the wait don't want it.
        (policy.keptFiles, policy.fileWait) = (Harness.keptFiles, .milliseconds(10))
        let index = try Index(root: directory.path, policy: policy)
        let journal = RenderJournal(root: directory.path)
        let userData = try UserData(root: directory.path, policy: policy)
        let spotify = SpotifyCredentials(
            clientID: Harness.secrets[0], clientSecret: Harness.secrets[1])
        let tmdb = TMDBCredentials(Harness.secrets[2])
        let common: [any Source] = [
            TVMaze(), Rijksmuseum(), ITunes(),
            Spotify(credentials: withCredentials ? spotify : nil, now: { clock.now }),
            TMDB(credentials: withCredentials ? tmdb : nil), SignedURL(hosts: []),
        ]
        let watches = folders.isEmpty ? nil : DirectoryWatches()
        let folderSources = folders.map { folder in
            FolderSource(
                FolderFiles(folder, watches: watches),
                isPicture: { ImageFormat.ofFile(head: $0) != nil },
                needsMore: ImageFormat.needsMore)
        }
        let listSources = lists.map { list in
            ListSource(ListFile(list, directory: directory.file("lists")) { _ in })
        }
        var dependencies = MediaPipeline.Dependencies(
            sources: Sources(common + sources + folderSources + listSources), fetch: patient,
            renderer: renderer,
            blobs: try BlobStore(root: directory.path, policy: policy),
            index: index, journal: journal, userData: userData,
            logger: Harness.silentLogger)
        dependencies.metrics = metrics
        dependencies.objects = objects
        dependencies.purgeHook = hook
        dependencies.watches = watches
        dependencies.now = { clock.now }
        let pipeline = MediaPipeline(dependencies, configuration)
        return Harness.Parts(
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
    ///   - urlHosts: hosts that signed URLs may lead to; nil for those as before.
    ///   - offered: the names of the sources that clients may ask; nil for all.
    package func reload(
        levels: [Level]? = nil, without source: String? = nil, urlHosts: [HostPattern]? = nil,
        offered: [String]? = nil,
        _ change: (inout ImagingConfiguration) -> Void = { _ in }
    ) {
        let (renderer, pipeline) = parts.withLock { ($0.renderer, $0.pipeline) }
        var imaging = setup.imaging
        imaging.levels = levels ?? pipeline.configuration.levels
        change(&imaging)
        pipeline.reload(
            levels: imaging.levels, urlSignature: pipeline.configuration.urlSignature,
            sources: Sources(
                pipeline.sources.all.filter { $0.name != source }.map { source in
                    urlHosts.flatMap {
                        source.name == SignedURL.name ? SignedURL(hosts: $0) : nil
                    } ?? source
                },
                offers: { offered?.contains($0.name) ?? true }),
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
