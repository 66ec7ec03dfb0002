import Foundation
import TestSupport
import Testing
import WorkQueue
import WorkQueueSupport

/// Where the contract is tested: the queue of tests always, and by `make contract` NATS servers, which are
/// started, killed and waited for.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case oneServer
    case threeServers

    static let installed: [Backend] =
        [.memory] + (Servers.program == nil || !Slow.isOn ? [] : [.oneServer, .threeServers])

    /// Those whose servers can be killed.
    static let servers = installed.filter { $0 != .memory }
    static let cluster = installed.filter { $0 == .threeServers }

    var testDescription: String {
        switch self {
        case .memory: "memory"
        case .oneServer: "one NATS server"
        case .threeServers: "three NATS servers"
        }
    }

    var nodes: Int {
        switch self {
        case .memory: 0
        case .oneServer: 1
        case .threeServers: 3
        }
    }
}

/// A queue of one test.
final class QueueBed: Sendable {
    let backend: Backend
    let servers: Servers?
    let policy: QueuePolicy
    /// No other test has streams of this name.
    let name = "test-\(UInt32.random(in: .min ... .max))"
    private let directory: TemporaryDirectory
    private let inMemory: Hub

    private init(_ backend: Backend, _ policy: QueuePolicy) async throws {
        self.backend = backend
        self.policy = policy
        directory = try TemporaryDirectory()
        inMemory = QueueInMemory.hub(policy)
        servers = backend.nodes > 0 ? try await Servers(backend.nodes, in: directory.path) : nil
    }

    /// One more connection, as of another process.
    func hub() async throws -> Hub {
        guard let servers else { return inMemory }
        return try await Hub.open(
            try QueueAddress(url), servers.credentials, client: "test", policy: policy)
    }

    /// Returns when the queue's own clock has advanced by a lease. Queues announce nothing when a value
    /// or an event is too old. A job whose lease ends is the one thing that their clock brings to a
    /// caller that waits.
    func waitForLease(_ hub: Hub) async throws {
        let fetch = QueueFetch(route: "clock", limit: 1)
        let job = QueueJob(
            id: "clock-\(UInt64.random(in: .min ... .max))", route: "clock", origin: "clock",
            body: [])
        _ = try await hub.queue.publish(job)
        var last: [Delivery] = []
        while last.first?.count != 2 {
            last = try await hub.queue.fetch(fetch, wait: .seconds(60))
        }
        for delivery in last { try await hub.queue.finish(delivery) }
    }

    var environment: [String: String] {
        servers?.environment ?? ProcessInfo.processInfo.environment
    }

    /// The URL for another program.
    var url: String { "\(servers?.url ?? "")/\(name)" }

    static func with(
        _ backend: Backend, _ adjust: (inout QueuePolicy) -> Void = { _ in },
        _ body: (QueueBed, Hub) async throws -> Void
    ) async throws {
        var policy = QueuePolicy()
        adjust(&policy)
        let bed = try await QueueBed(backend, policy)
        do {
            let hub = try await bed.hub()
            try await body(bed, hub)
            await hub.close()
        } catch {
            // The test's error says more than an error of stopping.
            try? await bed.servers?.stop()
            throw error
        }
        try await bed.servers?.stop()
    }
}
