import Foundation
import TestSupport
package import WorkQueue

/// NATS servers of one test.
package final class Servers: Sendable {
    private static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Tools/services/nats").path

    package static let program: String? = ["/usr/sbin/nats-server", "/usr/bin/nats-server"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    package struct Failure: Error {
        package var words: [String]
        package var status: Int32
    }

    private let directory: String
    private let variables: [String: String]

    package init(_ nodes: Int, in directory: String) async throws {
        self.directory = directory
        let text = try await Self.run(["start", directory, "\(nodes)"])
        let pairs = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
        variables = Dictionary(
            uniqueKeysWithValues: pairs.map { (String($0[0]), String($0[1])) })
    }

    package var url: String { variables["NATS_URL"] ?? "" }

    package var credentials: QueueCredentials {
        QueueCredentials(user: variables["NATS_USER"], password: variables["NATS_PASSWORD"])
    }

    package var environment: [String: String] {
        ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }

    package func kill(_ node: Int) async throws {
        _ = try await Self.run(["kill", directory, "\(node)"])
    }

    package func begin(_ nodes: [Int]) async throws {
        _ = try await Self.run(["begin", directory] + nodes.map(String.init))
    }

    package func leader(_ stream: String) async throws -> Int {
        let text = try await Self.run(["leader", directory, stream])
        return Int(text.filter(\.isNumber)) ?? 1
    }

    package func stop() async throws { _ = try await Self.run(["stop", directory]) }

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
