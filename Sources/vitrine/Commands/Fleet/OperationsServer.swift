import App
import Console
import Logging
import Pipeline
import Serve

/// Answers `/metrics`, `/healthz` and `/readyz` for a process that serves no pictures.
struct OperationsServer: Sendable {
    private let task: Task<Void, any Error>
    let port: Int

    /// Returns once it accepts connections.
    ///
    /// - Throws: ``CommandError`` if it can't listen there.
    static func start(
        _ assembly: Assembly, _ settings: Settings, at address: ListenAddress, option: String
    ) async throws -> OperationsServer {
        let (running, isRunning) = AsyncStream<Int>.makeStream()
        let server = Server(
            assembly.pipeline, assembly.operationsConfiguration(settings, at: address),
            logger: Logger(label: "vitrine.http")
        ) { port in
            isRunning.yield(port)
        }
        // Unstructured, because it answers until the command ends.
        let task = Task {
            defer { isRunning.finish() }
            try await server.run()
        }
        for await port in running { return OperationsServer(task: task, port: port) }
        do {
            try await task.value
        } catch ServingFailure.socket(let code) {
            throw ServerRun.sentence(code, address.host, address.port, option: option)
        }
        throw CommandError("The server at \(address) ended at once.")
    }

    /// Closes its connections.
    func stop() async {
        task.cancel()
        // It ended as it was told to, or had failed and logged that.
        _ = await task.result
    }
}
