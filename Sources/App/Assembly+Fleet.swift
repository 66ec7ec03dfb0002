import Catalog
package import Fleet
import Glibc
import Logging
import Metrics
import Pipeline
import Serve
import Store
package import WorkQueue

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
