import App
import Console
import Logging
import Pipeline
import Serve
import Threads

extension Assembly {
    /// Runs `body` while a server answers `/metrics`, `/healthz` and `/readyz` at the address that the
    /// settings name, for a process that serves no pictures. Without an address it only runs `body`.
    ///
    /// - Throws: ``CommandError`` if it can't listen there, and what `body` throws.
    func answeringOperations(
        _ settings: Settings, _ body: () async throws -> Void
    ) async throws {
        guard let address = settings.adminAddress else { return try await body() }
        let (running, isRunning) = AsyncStream<Int>.makeStream()
        let server = Server(
            pipeline, operationsConfiguration(settings, at: address),
            logger: Logger(label: "vitrine.http")
        ) { port, _ in
            isRunning.yield(port)
        }
        // Unstructured, because it answers until the command ends.
        let task = Task {
            defer { isRunning.finish() }
            try await server.run()
        }
        guard let port = await running.first(where: { _ in true }) else {
            do {
                try await task.value
            } catch ServingFailure.socket(let code, let address) {
                throw ServerRun.sentence(code, address, option: "--admin-address")
            }
            throw CommandError("The server at \(address) ended at once.")
        }
        StandardError.shared.line(
            "vitrine: metrics at http://"
                + "\(ListenAddress(host: address.host, port: port))/metrics")
        let stop = {
            task.cancel()
            // It ended as it was told to, or had failed and logged that.
            _ = await task.result
        }
        try await withEnd(stop, body)
    }
}
