package import Catalog
package import Fetch
package import Imaging
package import Logging
package import Pipeline
package import Serve

/// Every setting in force, as the modules want them.
///
/// The defaults are the ones of the modules' own configuration values, so that each has one home.
/// ``ConfigurationKey/all`` says how each is named, written and bounded.
package struct Settings: Sendable {
    package var memory = MemorySettings()
    package var cache = Cache()
    package var server = Server()
    /// By size, the smallest first.
    package var levels = Level.defaults
    package var imaging = ImagingConfiguration.ofProgram
    package var placeholder = Placeholder()
    package var fetch = FetchConfiguration()
    package var freshness = Lifetimes()
    package var catalog = Catalog()
    package var load = LoadPolicy()
    package var favorites = FavoritePolicy()
    package var log = Log()
    package var url = URLs()
    package var credentials = Credentials()

    package struct Cache: Sendable {
        /// Relative to the working directory.
        package var directory = "cache"
        /// Bytes of thumbnails kept in memory.
        package var memory = PipelineConfiguration().hitBytes
        /// Bytes kept in memory while the disk takes nothing.
        package var unsaved = 24 << 20
    }

    package struct Server: Sendable {
        package var host = "127.0.0.1"
        /// 0 takes any free port.
        package var port = 8_080
        package var shutdownTimeout: Duration = .seconds(10)
        /// PEM files; both or neither.
        package var tlsCertificate: String?
        package var tlsKey: String?
        /// The defaults of the rest are the module's own.
        package var tuning = ServerConfiguration()
    }

    package struct URLs: Sendable {
        /// Empty is every public host.
        package var hosts: [HostPattern] = []
    }

    package struct Placeholder: Sendable {
        package enum Status: String, Sendable, CaseIterable {
            case natural
            case ok = "200"
        }

        package var status = Status.natural
        /// A picture instead of the drawn one.
        package var file: String?
    }

    /// How long what was found, or not found, is taken for true.
    package struct Lifetimes: Sendable {
        /// An original whose origin sent no `Cache-Control`.
        package var originalDefault: Duration = .seconds(7 * 86_400)
        /// Bounds of what an origin's `Cache-Control` can ask for.
        package var originalMin: Duration = .seconds(60)
        package var originalMax: Duration = .seconds(30 * 86_400)
        /// Remembered failures, by their class.
        package var absent: Duration = .seconds(86_400)
        package var unavailable: Duration = .seconds(30)
        package var rejected: Duration = .seconds(3_600)
        /// Sent in `Cache-Control` (RFC 5861).
        package var staleWhileRevalidate: Duration = .seconds(86_400)
        package var staleIfError: Duration = .seconds(7 * 86_400)
    }

    package struct Catalog: Sendable {
        package var policy = CatalogPolicy()
        /// Pages beyond ``CatalogPolicy/itemsOnDisk`` that are kept in memory.
        package var pagesInMemory = 200
    }

    package struct Log: Sendable, Equatable {
        package enum Format: String, Sendable, CaseIterable {
            case text, json
        }

        package var level = Logger.Level.info
        package var format = Format.text
        package var access = AccessLog.slow
    }
}

extension ImagingConfiguration {
    /// A program can start itself as a renderer; a module alone can't.
    fileprivate static var ofProgram: Self {
        var configuration = Self()
        configuration.isolation.scope = .all
        return configuration
    }
}
