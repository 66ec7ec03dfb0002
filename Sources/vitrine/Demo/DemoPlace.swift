import DemoOrigin
import Fetch
import FoundationEssentials

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
            return DemoPlace(temporary: url.path, cache: cache ?? url.path + "/cache")
        }
    }

    private init(temporary: String, cache: String) {
        self.temporary = temporary
        self.cache = cache
    }

    /// Leads the names of the real services to the demo's origin.
    func lead(
        _ fetch: FetchConfiguration, to running: RunningDemo
    ) async throws -> FetchConfiguration {
        let file = temporary + "/origin.pem"
        try await FileThreads.run {
            try Data(running.certificateAuthorityPEM.utf8).write(to: URL(fileURLWithPath: file))
        }
        var fetch = fetch
        fetch.connectTo = running.connectTo + fetch.connectTo
        fetch.caFile = file
        fetch.allowedNetworks += [Network(running.allowNetwork)].compactMap(\.self)
        return fetch
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
