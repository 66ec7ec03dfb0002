import UnixSignals

/// SIGINT and SIGTERM for commands that end by themselves.
enum Interruption {
    /// Runs `body`. On a signal it cancels `body` and throws `CancellationError`.
    static func cancels<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in await UnixSignalsSequence(trapping: [.sigint, .sigterm]) {
                    return nil
                }
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
