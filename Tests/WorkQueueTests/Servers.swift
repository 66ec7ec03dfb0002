import Foundation
import TestSupport
import Testing
import WorkQueue

/// Where the contract is tested: a file always, NATS servers if they are installed.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite
    case oneServer
    case threeServers

    static let installed: [Backend] =
        [.sqlite] + (Servers.program == nil ? [] : [.oneServer, .threeServers])

    /// Those whose servers can be killed.
    static let servers = installed.filter { $0 != .sqlite }
    static let cluster = installed.filter { $0 == .threeServers }

    var testDescription: String {
        switch self {
        case .sqlite: "SQLite"
        case .oneServer: "one NATS server"
        case .threeServers: "three NATS servers"
        }
    }

    var nodes: Int {
        switch self {
        case .sqlite: 0
        case .oneServer: 1
        case .threeServers: 3
        }
    }
}

/// NATS servers of one test, or none.
final class Servers: Sendable {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Tools/services/nats").path

    static let program: String? = ["/usr/sbin/nats-server", "/usr/bin/nats-server"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    struct Failure: Error {
        var words: [String]
        var status: Int32
    }

    let directory: String
    private let variables: [String: String]

    init(_ nodes: Int, in directory: String) async throws {
        self.directory = directory
        let text = try await Self.run(["start", directory, "\(nodes)"])
        let pairs = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
        variables = Dictionary(
            uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
    }

    var url: String { variables["NATS_URL"] ?? "" }

    var credentials: QueueCredentials {
        QueueCredentials(user: variables["NATS_USER"], password: variables["NATS_PASSWORD"])
    }

    var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }

    func kill(_ node: Int) async throws { _ = try await Self.run(["kill", directory, "\(node)"]) }

    func begin(_ nodes: [Int]) async throws {
        _ = try await Self.run(["begin", directory] + nodes.map(String.init))
    }

    func leader(_ stream: String) async throws -> Int {
        let text = try await Self.run(["leader", directory, stream])
        return Int(text.filter(\.isNumber)) ?? 1
    }

    func stop() async throws { _ = try await Self.run(["stop", directory]) }

    private static func run(_ words: [String]) async throws -> String {
        let output = Pipe()
        let child = try ChildProgram(
            "/usr/bin/env", ["python3", script] + words, output: output.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        let status = await child.status()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        guard status == 0 else { throw Failure(words: words, status: status) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A queue of one test.
final class QueueBed: Sendable {
    let backend: Backend
    let servers: Servers?
    let address: QueueAddress
    let policy: QueuePolicy
    private let directory: TemporaryDirectory

    private init(_ backend: Backend, _ policy: QueuePolicy) async throws {
        self.backend = backend
        self.policy = policy
        directory = try TemporaryDirectory()
        if backend == .sqlite {
            servers = nil
            address = QueueAddress(.sqlite(directory.file("queue.sqlite")))
        } else {
            let servers = try await Servers(backend.nodes, in: directory.path)
            self.servers = servers
            // No other test has streams of this name.
            let name = "test-\(UInt32.random(in: .min ... .max))"
            address = try QueueAddress("\(servers.url)/\(name)")
        }
    }

    /// One more connection, as of another process.
    func hub() async throws -> Hub {
        try await Hub.open(
            address, servers?.credentials ?? QueueCredentials(), client: "test", policy: policy)
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
    var url: String {
        switch address.place {
        case .sqlite(let path): "sqlite:\(path)"
        case .nats(let servers): servers.joined(separator: ",") + "/\(address.name)"
        }
    }

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
