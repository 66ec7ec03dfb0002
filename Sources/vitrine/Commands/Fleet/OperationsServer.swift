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
        _ assembly: Assembly, _ settings: Settings, at address: ListenAddress
    ) async throws -> OperationsServer {
        let (running, isRunning) = AsyncStream<Server.Ports>.makeStream()
        let server = Server(
            assembly.pipeline, assembly.operationsConfiguration(settings, at: address),
            logger: Logger(label: "vitrine.http")
        ) { ports in
            isRunning.yield(ports)
        }
        // Unstructured, because it answers until the command ends.
        let task = Task {
            defer { isRunning.finish() }
            try await server.run()
        }
        for await ports in running { return OperationsServer(task: task, port: ports.port) }
        do {
            try await task.value
        } catch ServingFailure.socket(let code, let address) {
            throw ServerRun.sentence(code, address, option: "--admin-address")
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
