import Logging
import Pipeline
import PipelineSupport
import Serve
import TestSupport

/// A server on a free loopback port for the length of a test.
struct RunningServer {
    let server: Server
    let port: Int
    /// Of the operator's address; 0 without.
    let adminPort: Int
    private let run: Task<Void, any Error>

    /// Aborts running requests after `body`.
    static func with<Result: Sendable>(
        _ pipeline: MediaPipeline, _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        logger: Logger = Harness.silentLogger,
        _ body: (RunningServer) async throws -> Result
    ) async throws -> Result {
        var configuration = ServerConfiguration()
        configuration.port = 0
        // As ``request(_:_:method:)`` has it.
        configuration.hosts = ["a"]
        configuration.threads = 1
        // A busy machine may slow down the test's client.
        configuration.headerTimeout = .seconds(600)
        configuration.keepAliveTimeout = .seconds(600)
        configuration.sendTimeout = .seconds(600)
        adjust(&configuration)
        let (ports, found) = AsyncStream<(pictures: Int, admin: Int?)>.makeStream()
        let server = Server(pipeline, configuration, logger: logger) { port, admin in
            found.yield((port, admin))
            found.finish()
        }
        let run = Task { try await server.run() }
        let result: Swift.Result<Result, any Error>
        do {
            guard let ports = await ports.first(where: { _ in true }) else {
                throw CancellationError()
            }
            let running = RunningServer(
                server: server, port: ports.pictures, adminPort: ports.admin ?? 0, run: run)
            result = .success(try await body(running))
        } catch {
            result = .failure(error)
        }
        run.cancel()
        // Only its end matters. The test reports failures.
        _ = await run.result
        return try result.get()
    }

    /// Does so with a pipeline of its own, and closes it afterward.
    static func with(
        _ harness: Harness, _ adjust: (inout ServerConfiguration) -> Void = { _ in },
        logger: Logger = Harness.silentLogger,
        _ body: (Harness, RunningServer) async throws -> Void
    ) async throws {
        try await withHarness(harness) { harness in
            try await with(harness.pipeline, adjust, logger: logger) { running in
                try await body(harness, running)
            }
        }
    }

    /// Answers as another configuration says.
    func reload(_ adjust: (inout ServerConfiguration) -> Void = { _ in }) {
        var configuration = ServerConfiguration()
        configuration.hosts = ["a"]
        adjust(&configuration)
        server.reload(configuration)
    }

    /// As SIGTERM does.
    func stopAccepting() { server.stop() }

    func finished() async throws { _ = await run.result }

    func connect(reads: Bool = true) async throws -> RawConnection {
        try await RawConnection.open(port: port, reads: reads)
    }

    func connectToAdmin() async throws -> RawConnection {
        try await RawConnection.open(port: adminPort, reads: true)
    }
}

/// A request as it is sent; `fields` end with CR LF each.
func request(
    _ path: String = "/t/m/tvmaze/show/1", _ fields: String = "", method: String = "GET"
) -> String {
    "\(method) \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
}

/// Returns the responses to a client that sends slowly. On a busy machine even its first bytes may
/// come too late, so that it gets no response or another status. It then retries until the test's
/// time limit.
func untilAnswered(
    _ status: Int? = nil, _ attempt: () async throws -> [RawAnswer]
) async throws -> [RawAnswer] {
    while true {
        let answers = try await attempt()
        if let first = answers.first, status ?? first.status == first.status { return answers }
        // Ends a failing test, because a time limit only cancels its task.
        try Task.checkCancellation()
    }
}
