import UnixSignals

/// SIGINT and SIGTERM for commands that run to an end of their own.
enum Interruption {
    /// Runs `body`; a signal cancels it, and then this throws `CancellationError`.
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
