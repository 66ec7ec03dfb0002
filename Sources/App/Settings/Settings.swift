package import Catalog
package import Fetch
package import Folders
package import Imaging
package import Logging
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
    package var server = ServerConfiguration()
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
    package var sourceFiles: [String] = []
    /// Directories whose pictures are shown.
    package var folders: [Folder] = []
    /// Lists of pictures that are shown.
    package var lists: [ListDefinition] = []
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
}
