import Foundation
import WorkQueue

/// `Helper queue URL ROUTE` takes jobs of a queue and keeps them until it is killed: a worker that
/// dies. Credentials are in NATS_USER and NATS_PASSWORD. Says "taken" when it has jobs.
enum QueueCommand {
    static func run(_ arguments: [String]) async {
        guard arguments.count == 2 else { exit(64) }
        do {
            try await take(QueueAddress(arguments[0]), route: arguments[1])
        } catch {
            complain("\(error)\n")
            exit(1)
        }
    }

    private static func take(_ address: QueueAddress, route: String) async throws {
        let environment = ProcessInfo.processInfo.environment
        var policy = QueuePolicy()
        policy.lease = .seconds(3)
        let hub = try await Hub.open(
            address,
            QueueCredentials(
                user: environment["NATS_USER"], password: environment["NATS_PASSWORD"]),
            client: "child", policy: policy)
        let taken = try await hub.queue.fetch(
            QueueFetch(route: route, limit: 4), wait: .seconds(60))
        say("taken \(taken.count)")
        try await Task.sleep(for: .seconds(3_600))
    }
}
