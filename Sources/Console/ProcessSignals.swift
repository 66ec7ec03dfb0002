import Dispatch
import Glibc

/// Signals that the process handles instead of ending.
package enum ProcessSignals {
    private static let queue = DispatchQueue(label: "vitrine.signals")

    /// The sources of a stream. Cancels them with it.
    private final class Sources: Sendable {
        // nonisolated(unsafe) because nothing changes them after init.
        nonisolated(unsafe) let all: [any DispatchSourceSignal]

        init(_ signals: [CInt]) {
            all = signals.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
        }

        deinit { for source in all { source.cancel() } }
    }

    /// Returns `signals` as they arrive. From now on they no longer end the process.
    package static func of(_ signals: CInt...) async -> AsyncStream<CInt> {
        let (arrived, arrival) = AsyncStream<CInt>.makeStream()
        let sources = Sources(signals)
        for (source, signal) in zip(sources.all, signals) {
            source.setEventHandler { arrival.yield(signal) }
            // A source catches its signal only once it is registered.
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { continuation.resume() }
                source.resume()
            }
        }
        arrival.onTermination = { _ in withExtendedLifetime(sources) {} }
        return arrived
    }

    /// Runs `body`, of a command that ends by itself. On SIGINT or SIGTERM it cancels `body` and throws
    /// `CancellationError`.
    package static func cancel<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        // From here on, so that no signal ends the process while `body` begins.
        let signals = await of(SIGINT, SIGTERM)
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
