package import Catalog
package import Fetch
package import Folders
import FoundationEssentials
package import Imaging
package import Logging
import Memory
package import Objects
package import Pipeline
package import Serve
package import Store
package import WorkQueue

/// Every setting in force, as the modules take them.
///
/// Defaults come from the modules' own configuration values. ``ConfigurationKey/all`` defines the
/// name, form and range of each setting.
package struct Settings: Sendable {
    package var memory = MemorySettings()
    /// Relative to the working directory.
    package var cacheDirectory = "cache"
    package var store = StorePolicy.ofProgram
    package var server = ServerConfiguration.ofProgram
    /// Of `/metrics`, `/readyz` and `/admin`; see ``adminAddress``.
    package var wantedAdminAddress: ListenAddress?
    package var shutdownTimeout: Duration = .seconds(10)
    /// Paths of PEM files. Both are set or neither.
    package var tlsCertificate: String?
    package var tlsKey: String?
    /// Ordered by size, the smallest first.
    package var levels = Level.defaults
    package var imaging = ImagingConfiguration.ofProgram
    /// Path of a picture that replaces the drawn placeholder.
    package var placeholderFile: String?
    package var fetch = FetchConfiguration.ofProgram
    /// Freshness, catalogs, load, warm runs, parts of pictures, the shared store.
    package var pipeline = PipelineConfiguration()
    /// Tells a cache in front what was purged. Its token is among ``credentials``.
    var purgeRequest = PurgeTemplate()
    /// A program and its first arguments, which tell such a cache; empty for none.
    var purgeCommand: [String] = []
    /// Sources that the settings describe.
    package var sources: [SourceDefinition] = []
    /// The sources that clients of the service may ask; empty for the operator's own, see
    /// ``offeredNames``.
    package var offeredSources: [String] = []
    /// The groups of routes that clients of the service may ask for; empty for the usual ones, see
    /// ``RouteOffers``.
    package var offeredRoutes: [RouteGroup] = []
    package var sourceFiles: [String] = []
    /// Directories whose pictures are shown.
    package var folders: [Folder] = []
    /// Lists of pictures that are shown.
    package var lists: [ListDefinition] = []
    /// Path of a file that names what is never shown.
    package var blockedFile: String?
    /// What it names.
    package var blocked: [BlockEntry] = []
    /// The store that several nodes share.
    package var s3 = S3Configuration()
    /// Nil for a machine that works alone.
    package var queue: QueueAddress?
    package var natsCredentialsFile: String?
    package var log = Log()
    /// Nil if no collector of traces is named.
    package var traces: TraceSettings?
    /// Hosts of signed URLs; empty allows every public one.
    package var urlHosts: [HostPattern] = []
    package var credentials = Credentials()

    package struct Log: Sendable, Equatable {
        package enum Format: String, Sendable, CaseIterable {
            case text, json
        }

        package var level = Logger.Level.info
        package var format = Format.text
    }
}

/// The operator's memory settings in bytes; nil takes a share of the budget.
package struct MemorySettings: Sendable {
    package var budget: Int?
    package var imaging: Int?
    package var cache: Int?
    package var maxBytes: Int?
    /// The budget in force.
    package var resolvedBudget = 1 << 30
    /// Connections over TLS for which the budget has memory; nil without TLS.
    package var encryptedConnections: Int?
}

extension ImagingConfiguration {
    /// Only a program can start itself as a renderer.
    fileprivate static var ofProgram: Self {
        var configuration = Self()
        configuration.isolation.isOn = true
        return configuration
    }
}

extension StorePolicy {
    /// A program shares the disk with others.
    fileprivate static var ofProgram: Self {
        var policy = Self()
        policy.limits = DiskLimits()
        return policy
    }
}

extension ServerConfiguration {
    /// A program keeps nothing of what people do until its operator wants that.
    fileprivate static var ofProgram: Self {
        var configuration = Self()
        configuration.userData = .off
        return configuration
    }
}

extension FetchConfiguration {
    /// Only a program has a version to tell origins.
    fileprivate static var ofProgram: Self {
        var configuration = Self()
        configuration.userAgent += "/\(Version.number)"
        return configuration
    }
}

extension Settings {
    /// Where the operator's routes are; nil for beside the pictures, and for a worker that has none. Without
    /// an admin token only this machine reaches them.
    package var adminAddress: ListenAddress? {
        guard var address = wantedAdminAddress else { return nil }
        if credentials.adminToken.value == nil, !address.isLoopback {
            address.host = address.host.contains(":") ? "::1" : "127.0.0.1"
        }
        return address
    }

    package var folderNames: [String] { folders.map(\.name) }

    /// ``cacheDirectory`` from the root of the file system.
    package var absoluteCacheDirectory: String {
        URL(filePath: cacheDirectory).standardizedFileURL.path
    }

    /// The names of what the operator has configured: sources, folders and lists.
    private var ownNames: [String] { sources.map(\.name) + folderNames + lists.map(\.name) }

    /// The names of the sources that clients of the service may ask: those that are named, else the operator's
    /// own, else the built-in ones. Signed URLs count as no source here.
    package var offeredNames: [String] {
        if !offeredSources.isEmpty { return offeredSources }
        return ownNames.isEmpty ? Assembly.builtIn : ownNames
    }

    /// Returns whether clients of the service may ask a source. Signed URLs are offered where keys are set.
    func offers(_ source: any Source) -> Bool {
        source.name == SignedURL.name
            ? urlSignature.isConfigured : offeredNames.contains(source.name)
    }

    /// Divides the budget and sets every size that is a share of it.
    ///
    /// - Parameter budget: used if none is set.
    mutating func divideMemory(_ budget: Int) throws(ConfigurationError) {
        let shares: MemoryShares
        do throws(MemoryShares.Excess) {
            shares = try MemoryShares(
                budget: memory.budget ?? budget, imaging: memory.imaging, cache: memory.cache,
                encrypted: tlsCertificate == nil ? 0 : server.maxConnections)
        } catch {
            throw ConfigurationError(
                "imaging.memory, cache.memory and the rest of the program need "
                    + "\(SizeText.print(error.needed)) together, which is more than memory.budget "
                    + "(\(SizeText.print(error.budget))); lower one of them or raise memory.budget."
            )
        }
        let largest = ByteBudget.largest(of: shares.originals)
        if let wanted = memory.maxBytes, wanted > largest {
            throw ConfigurationError(
                "imaging.maxBytes is \(SizeText.print(wanted)), which is more than four fifths of the "
                    + "memory for originals (\(SizeText.print(largest))); lower it or raise "
                    + "memory.budget.")
        }
        memory.resolvedBudget = shares.budget
        memory.encryptedConnections =
            tlsCertificate == nil
            ? nil : shares.connections / MemoryShares.encryptedConnection
        pipeline.originalBytes = shares.originals
        pipeline.catalogBytes = shares.catalogs
        imaging.memory = shares.imaging
        imaging.isolation.memory = shares.imaging
        imaging.queueMemory = shares.originals
        imaging.maxBytes = memory.maxBytes ?? min(ImagingConfiguration().maxBytes, largest)
        pipeline.maxOriginalBytes = imaging.maxBytes
        imaging.isolation.idle = shares.idleChildren
        pipeline.hitBytes = shares.cache
        store.unsavedBytes = shares.unsaved
        server.responseBytes = shares.responses
    }

    /// What keys say that can't be true together. The first of the keys is the one to correct.
    var contradictions: [(keys: [String], sentence: String)] {
        var all: [(keys: [String], sentence: String)] = []
        func add(_ keys: [String], _ sentence: String) { all.append((keys, sentence)) }
        let (least, most) = (pipeline.freshness.originalMin, pipeline.freshness.originalMax)
        if least > most {
            add(
                ["freshness.originalMin", "freshness.originalMax"],
                "freshness.originalMin is \(DurationText.print(.seconds(least))), which is more than "
                    + "freshness.originalMax (\(DurationText.print(.seconds(most)))); lower the first "
                    + "or raise the second.")
        }
        let known = levels.map(\.name).listed(by: "and")
        for own in imaging.perLevel where !levels.contains(where: { $0.name == own.level }) {
            add(
                ["imaging.perLevel", "levels"],
                "imaging.perLevel names the level “\(own.level)”, which is not among levels "
                    + "(\(known)); correct it or remove it.")
        }
        for name in pipeline.warm.levels where !levels.contains(where: { $0.name == name }) {
            add(
                ["warm.levels", "levels"],
                "warm.levels names the level “\(name)”, which is not among levels "
                    + "(\(known)); correct it or remove it.")
        }
        for name in offeredSources where !(Assembly.builtIn + ownNames).contains(name) {
            let isSigned = name == SignedURL.name
            add(
                ["sources.offered", "sources", "folders", "lists"],
                "sources.offered names “\(name)”, "
                    + (isSigned
                        ? "which is not a source; signed URLs are offered where url.keys is set. "
                            + "Remove it."
                        : "which is not among the sources, folders and lists "
                            + "(\((ownNames + Assembly.builtIn).listed(by: "and"))); correct it or "
                            + "remove it."))
        }
        if (tlsCertificate == nil) != (tlsKey == nil) {
            add(
                ["server.tlsCertificate", "server.tlsKey"],
                "server.tlsCertificate and server.tlsKey belong together; give both or neither.")
        }
        if case .s3? = s3.endpoint, s3.bucket.isEmpty {
            add(
                ["s3.endpoint", "s3.bucket"],
                "s3.endpoint is set and s3.bucket is not; name the bucket.")
        }
        for folder in folders where isInside(cacheDirectory, folder.path) {
            add(
                ["cache.directory", "folders"],
                "cache.directory is inside of the folder \(folder.name) (\(folder.path)), which "
                    + "would show what the cache stores; move one of them.")
        }
        return all
    }

    /// Returns whether a path, relative or not, leads into a directory. Links are followed as far as the
    /// path exists.
    private func isInside(_ path: String, _ directory: String) -> Bool {
        func resolved(_ path: String) -> String {
            URL(filePath: path).standardizedFileURL.resolvingSymlinksInPath().path
        }
        let (inner, outer) = (resolved(path), resolved(directory))
        return inner == outer || inner.hasPrefix(outer.hasSuffix("/") ? outer : outer + "/")
    }
}
