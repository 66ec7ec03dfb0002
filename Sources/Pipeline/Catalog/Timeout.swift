import Synchronization

/// Waits for work that continues without its caller.
enum Timeout {
    /// Returns the work's value, or `nil` if it takes longer than `limit`. The work then continues.
    static func wait<Value: Sendable>(
        _ limit: Duration, for work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value? {
        let caller = Caller<Value>()
        return try await withCheckedThrowingContinuation { continuation in
            caller.waits(continuation)
            // Both are unstructured, because the caller leaves the slower one behind.
            let timer = Task {
                // Sleeping fails only if the work was faster and canceled the timer.
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

    /// A waiting caller. Only the first to take its continuation resumes it.
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
