import App
import Catalog
import Console
import Fetch
import FoundationEssentials
import Serve
import Threads

/// Where a demo keeps its cache and the certificate of its origin.
struct DemoPlace: Sendable {
    /// Removed with everything in it when the demo ends.
    private let temporary: String
    let cache: String

    /// `cache` is a directory that stays; `nil` makes one that doesn't.
    static func make(_ cache: String?) async throws -> DemoPlace {
        try await FileThreads.run {
            let url = FileManager.default.temporaryDirectory
                .appendingPathComponent("vitrine-demo-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            // Made here, so that nothing is said of a cache that goes with the demo.
            if cache == nil {
                try FileManager.default.createDirectory(
                    at: url.appendingPathComponent("cache"), withIntermediateDirectories: true)
            }
            return DemoPlace(temporary: url.path, cache: cache ?? url.path + "/cache")
        }
    }

    private init(temporary: String, cache: String) {
        self.temporary = temporary
        self.cache = cache
    }

    /// Leads the names of the real services to the demo's origin, with what it lets in.
    func lead(_ settings: Settings, to origin: DemoAnnouncement) async throws -> Settings {
        let file = temporary + "/origin.pem"
        try await FileThreads.run {
            try Data(origin.certificateAuthorityPEM.utf8).write(to: URL(fileURLWithPath: file))
        }
        var settings = settings
        // It shows everything, to this machine.
        settings.offeredSources = Array(Set(settings.offeredNames + Assembly.builtIn))
        if settings.server.userData == .off { settings.server.userData = .automatic }
        settings.fetch.connectTo = origin.connectTo + settings.fetch.connectTo
        settings.fetch.caFile = file
        settings.fetch.allowedNetworks += [Network(origin.allowNetwork)].compactMap(\.self)
        // Manners are for real services: at their pace a demo would take minutes.
        settings.fetch.hosts =
            origin.hosts.map { (HostPattern($0), HostPolicy()) } + settings.fetch.hosts
        settings.credentials.spotifyClientID.value = Secret(origin.credentials.spotifyClientID)
        settings.credentials.spotifyClientSecret.value = Secret(
            origin.credentials.spotifyClientSecret)
        settings.credentials.tmdbToken.value = Secret(origin.credentials.tmdbToken)
        return settings
    }

    func leave() async {
        let path = temporary
        await FileThreads.run {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                StandardError.shared.line("vitrine: \(path) could not be removed: \(error)")
            }
        }
    }
}
