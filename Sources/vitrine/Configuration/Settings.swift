import Catalog
import Fetch
import Imaging
import Logging
import Pipeline
import Serve

/// Every setting in force, as the modules want them.
///
/// The defaults are the ones of the modules' own configuration values, so that each has one home.
/// ``ConfigurationKey/all`` says how each is named, written and bounded.
struct Settings: Sendable {
    var memory = MemorySettings()
    var cache = CacheSettings()
    var server = ServerSettings()
    /// By size, the smallest first.
    var levels = Level.defaults
    var imaging = ImagingConfiguration.ofProgram
    var placeholder = PlaceholderSettings()
    var fetch = FetchConfiguration()
    var freshness = FreshnessSettings()
    var catalog = CatalogSettings()
    var load = LoadPolicy()
    var favorites = FavoritePolicy()
    var log = LogSettings()
    var url = URLSettings()
    var credentials = Credentials()
}

extension ImagingConfiguration {
    /// A program can start itself as a renderer; a module alone can't.
    fileprivate static var ofProgram: Self {
        var configuration = Self()
        configuration.isolation.scope = .all
        return configuration
    }
}

struct CacheSettings: Sendable {
    /// Relative to the working directory.
    var directory = "cache"
    /// Bytes of thumbnails kept in memory.
    var memory = PipelineConfiguration().hitBytes
    /// Bytes kept in memory while the disk takes nothing.
    var unsaved = 24 << 20
}

struct ServerSettings: Sendable {
    var host = "127.0.0.1"
    /// 0 takes any free port.
    var port = 8_080
    var shutdownTimeout: Duration = .seconds(10)
    /// PEM files; both or neither.
    var tlsCertificate: String?
    var tlsKey: String?
    /// The defaults of the rest are the module's own.
    var tuning = ServerConfiguration()
}

struct URLSettings: Sendable {
    /// Empty is every public host.
    var hosts: [HostPattern] = []
}

struct PlaceholderSettings: Sendable {
    enum Status: String, Sendable, CaseIterable {
        case natural
        case ok = "200"
    }

    var status = Status.natural
    /// A picture instead of the drawn one.
    var file: String?
}

/// How long what was found, or not found, is taken for true.
struct FreshnessSettings: Sendable {
    /// An original whose origin sent no `Cache-Control`.
    var originalDefault: Duration = .seconds(7 * 86_400)
    /// Bounds of what an origin's `Cache-Control` can ask for.
    var originalMin: Duration = .seconds(60)
    var originalMax: Duration = .seconds(30 * 86_400)
    /// Remembered failures, by their class.
    var absent: Duration = .seconds(86_400)
    var unavailable: Duration = .seconds(30)
    var rejected: Duration = .seconds(3_600)
    /// Sent in `Cache-Control` (RFC 5861).
    var staleWhileRevalidate: Duration = .seconds(86_400)
    var staleIfError: Duration = .seconds(7 * 86_400)
}

struct CatalogSettings: Sendable {
    var policy = CatalogPolicy()
    /// Pages beyond ``CatalogPolicy/itemsOnDisk`` that are kept in memory.
    var pagesInMemory = 200
}

struct LogSettings: Sendable, Equatable {
    enum Format: String, Sendable, CaseIterable {
        case text, json
    }

    var level = Logger.Level.info
    var format = Format.text
    var access = AccessLog.slow
}
