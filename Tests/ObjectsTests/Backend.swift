import Fetch
import Foundation
import Objects
import TestSupport
import Testing

/// The stores that keep the contract.
enum Backend: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case directory
    /// A scripted bucket, and one without conditional PUTs.
    case played, unconditional
    /// Real servers, if their programs are installed (`make deps-cluster`).
    case ceph, swift

    var testDescription: String { rawValue }

    static let all = allCases.filter(\.isInstalled)
    static let s3 = all.filter { $0 != .directory }
    static let real = all.filter { $0 == .ceph || $0 == .swift }

    /// Whether a PUT can say that it must not replace anything.
    var isConditional: Bool {
        switch self {
        case .directory, .played, .ceph: true
        case .unconditional, .swift: false
        }
    }

    private var isInstalled: Bool {
        let programs: [String]
        switch self {
        case .directory, .played, .unconditional: return true
        case .ceph: programs = ["radosgw", "ceph-mon", "ceph-osd", "python3"]
        case .swift: programs = ["swift-proxy-server", "memcached", "python3"]
        }
        return programs.allSatisfy { program in
            ["/usr/bin", "/usr/sbin", "/bin", "/usr/local/bin"]
                .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
        }
    }
}

/// A store for one test, with what is needed to disturb it.
struct Bench: Sendable {
    let store: any ObjectStore
    let played: PlayedS3?
    let server: RealServer?
}

/// Calls `body` with an empty store.
///
/// - Parameters:
///   - transfers: at the same time.
///   - timeout: of one attempt.
func withStore(
    _ backend: Backend, transfers: Int = 16, timeout: Duration = .seconds(60),
    attempts: Int = 4, _ body: (Bench) async throws -> Void
) async throws {
    if backend == .directory {
        let directory = try TemporaryDirectory()
        try await body(
            Bench(store: try DirectoryStore(directory.path), played: nil, server: nil))
        return
    }
    var fetching = FetchConfiguration()
    fetching.reach = .endpoints
    fetching.maxTransfers = transfers
    fetching.defaultHost.maxConcurrent = transfers
    fetching.totalTimeout = timeout
    fetching.retry.attempts = attempts
    fetching.retry.baseDelay = .milliseconds(1)
    // A test that kills its server comes back sooner than a rest ends.
    fetching.breaker.threshold = .max
    let fetcher = try Fetcher(fetching)
    do {
        let bench: Bench
        switch backend {
        case .played, .unconditional, .directory:
            let played = try await PlayedS3.start(isConditional: backend == .played)
            let service = try #require(S3Service(played.endpoint))
            bench = Bench(
                store: S3Store(
                    service, bucket(PlayedS3.bucket), key(PlayedS3.key, "secret"), fetch: fetcher),
                played: played, server: nil)
        case .ceph, .swift:
            let server = try await RealServer.of(backend)
            let service = try #require(S3Service(server.values["S3_ENDPOINT"] ?? ""))
            let configuration = bucket(
                server.values["S3_BUCKET"] ?? "", prefix: "test/\(UUID().uuidString)")
            let credentials = key(
                server.values["AWS_ACCESS_KEY_ID"] ?? "",
                server.values["AWS_SECRET_ACCESS_KEY"] ?? "")
            bench = Bench(
                store: S3Store(service, configuration, credentials, fetch: fetcher), played: nil,
                server: server)
        }
        try await body(bench)
    } catch {
        await fetcher.shutdown()
        throw error
    }
    await fetcher.shutdown()
}

func bucket(_ name: String, prefix: String = "") -> S3Configuration {
    var configuration = S3Configuration()
    (configuration.bucket, configuration.prefix) = (name, prefix)
    return configuration
}

func key(_ id: String, _ secret: String) -> CredentialProvider {
    CredentialProvider(S3Credentials(accessKeyID: id, secretAccessKey: secret))
}

/// A server that `Tools/services/s3 run` runs. It ends with this process, because its input does.
final class RealServer: Sendable {
    let values: [String: String]
    private let directory: TemporaryDirectory
    private let program: ChildProgram
    private let input: FileHandle
    private let output: FileHandle

    private actor Servers {
        static let shared = Servers()
        private var starting: [Backend: Task<RealServer, any Error>] = [:]

        func server(_ backend: Backend) async throws -> RealServer {
            let task = starting[backend] ?? Task { try await RealServer(backend) }
            starting[backend] = task
            return try await task.value
        }
    }

    /// Returns the server of this process, which is started once.
    static func of(_ backend: Backend) async throws -> RealServer {
        try await Servers.shared.server(backend)
    }

    private init(_ backend: Backend) async throws {
        directory = try TemporaryDirectory()
        let (input, output) = (Pipe(), Pipe())
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Tools/services/s3").standardized.path
        var environment = ProcessInfo.processInfo.environment
        environment["S3_SERVER"] = backend.rawValue
        program = try ChildProgram(
            script, ["run", directory.path], environment: environment,
            input: input.fileHandleForReading, output: output.fileHandleForWriting)
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        var values: [String: String] = [:]
        while let line = try await Self.line(of: self.output), line != "ready" {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 {
                values[String(parts[0])] = String(parts[1].dropFirst().dropLast())
            }
        }
        self.values = values
        try #require(values["S3_ENDPOINT"] != nil, "\(backend) didn't start")
    }

    /// Does one of `pause`, `resume`, `kill` and `revive`.
    func tell(_ verb: String) async throws {
        try input.write(contentsOf: Data("\(verb)\n".utf8))
        #expect(try await Self.line(of: output) == "ok")
    }

    /// Reads a line on a thread of its own, because it blocks.
    private static func line(of handle: FileHandle) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        var line = Data()
                        while let byte = try handle.read(upToCount: 1), !byte.isEmpty {
                            if byte == Data([0x0a]) { return String(decoding: line, as: UTF8.self) }
                            line += byte
                        }
                        return nil
                    })
            }
        }
    }
}
