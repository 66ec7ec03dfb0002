import App
import Console
import Logging
import Pipeline
import Serve
import Threads

/// Answers `/metrics`, `/healthz` and `/readyz` for a process that serves no pictures.
enum OperationsServer {
    /// Runs `body` while the server answers at the address that the settings name; without one, only `body`.
    ///
    /// - Throws: ``CommandError`` if it can't listen there, and what `body` throws.
    static func during(
        _ assembly: Assembly, _ settings: Settings, _ body: () async throws -> Void
    ) async throws {
        guard let address = settings.adminAddress else { return try await body() }
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
        guard let ports = await running.first(where: { _ in true }) else {
            do {
                try await task.value
            } catch ServingFailure.socket(let code, let address) {
                throw ServerRun.sentence(code, address, option: "--admin-address")
            }
            throw CommandError("The server at \(address) ended at once.")
        }
        StandardError.shared.line(
            "vitrine: metrics at http://"
                + "\(ListenAddress(host: address.host, port: ports.port))/metrics")
        let stop = {
            task.cancel()
            // It ended as it was told to, or had failed and logged that.
            _ = await task.result
        }
        try await withEnd(stop, body)
    }
}
