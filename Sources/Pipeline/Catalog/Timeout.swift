import Synchronization

/// Waiting for work that goes on without its caller.
enum Timeout {
    /// What the work gives, or `nil` where it takes longer than `limit`; then it goes on.
    static func wait<Value: Sendable>(
        _ limit: Duration, for work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let caller = Caller<Value>()
        return try await withCheckedThrowingContinuation { continuation in
            caller.waits(continuation)
            // Both are unstructured, because the caller leaves the slower one behind.
            let timer = Task {
                // Cancelled where the work was faster.
                guard (try? await Task.sleep(for: limit)) != nil else { return }
                caller.take()?.resume(returning: nil)
            }
            Task {
                do {
                    let value = try await work()
                    caller.take()?.resume(returning: value)
                } catch {
                    caller.take()?.resume(throwing: error)
                }
                timer.cancel()
            }
        }
    }

    /// Whoever takes its continuation first answers.
    private final class Caller<Value: Sendable>: Sendable {
        typealias Continuation = CheckedContinuation<Value?, any Error>

        private let continuation = Mutex<Continuation?>(nil)

        func waits(_ continuation: Continuation) {
            self.continuation.withLock { $0 = continuation }
        }

        func take() -> Continuation? {
            continuation.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
        }
    }
}
