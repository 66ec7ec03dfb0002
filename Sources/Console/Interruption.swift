import Glibc

/// SIGINT and SIGTERM for commands that end by themselves.
package enum Interruption {
    /// Runs `body`. On a signal it cancels `body` and throws `CancellationError`.
    package static func cancels<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // From here on, so that no signal ends the process while `body` begins.
        let signals = await ProcessSignals.of(SIGINT, SIGTERM)
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in signals { return nil }
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                throw CancellationError()
            }
            return value
        }
    }
}
