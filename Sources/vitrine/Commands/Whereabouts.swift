import App
import Catalog
import Console
import FoundationEssentials

/// Where the settings and the cache are, and what is in force in a service with these settings that runs on
/// this machine.
struct Whereabouts: Encodable {
    /// The path of the file of settings; nil without one.
    let file: String?
    /// The directory of the cache, from the root of the file system.
    let cache: String
    /// Whether it is there.
    let hasCache: Bool
    let service: Service?

    /// A running service.
    struct Service: Encodable {
        let url: String
        /// Names of limits as its metrics have them, with their values; empty if it doesn't tell them.
        let limits: [Limit]
        /// Why it tells none.
        let reason: String?
    }

    struct Limit: Encodable, Equatable {
        let name: String
        let bytes: Int
    }

    private static let names = ["vitrine_disk_limit_bytes", "vitrine_memory_share_limit_bytes"]

    init(_ settings: Settings, file: String?) async {
        self.file = file.map { URL(filePath: $0).standardizedFileURL.path }
        cache = settings.absoluteCacheDirectory
        hasCache = LocalFile.isDirectory(settings.cacheDirectory)
        // Without a port of its own, there is no telling where it listens.
        guard let check = try? HealthCheck(settings),
            let answer = await check.metrics(settings.credentials.adminToken.value?.reveal())
        else {
            service = nil
            return
        }
        let limits = answer.status == 200 ? Self.limits(answer.text) : []
        service = Service(
            url: check.url, limits: limits,
            reason: limits.isEmpty
                ? "It tells its limits to clients with the admin token: set VITRINE_ADMIN_TOKEN."
                : nil)
    }

    /// Reads Prometheus' text.
    static func limits(_ text: String) -> [Limit] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: " ")
            guard parts.count == 2, let bytes = Double(parts[1]), bytes < 0x1p62,
                names.contains(where: { parts[0] == $0 || parts[0].hasPrefix($0 + "{") })
            else { return nil }
            return Limit(name: String(parts[0]), bytes: Int(bytes))
        }
    }

    /// For people.
    var lines: [String] {
        var rows = [
            ["file", file ?? "none; vitrine config --defaults prints one"],
            ["cache", cache + (hasCache ? "" : ", which the first command makes")],
        ]
        if let service {
            rows.append(["service", service.url + (service.reason.map { ": \($0)" } ?? "")])
            rows += service.limits.map { ["", "\($0.name) \(SizeText.rounded($0.bytes))"] }
        }
        return TextTable(rows: rows).lines + [""]
    }
}
