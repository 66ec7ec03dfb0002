import Threads

/// Returns the work's value, or `nil` if it takes longer than `limit`. The work then continues.
func withTimeout<Value: Sendable>(
    _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    let outcome = Latch<Result<Value?, any Error>>()
    // Both are unstructured, because the caller leaves the slower one behind.
    let timer = Task {
        // Sleeping fails only if the work was faster and canceled the timer.
        guard (try? await Task.sleep(for: limit)) != nil else { return }
        outcome.set(.success(nil))
    }
    Task {
        do {
            outcome.set(.success(try await work()))
        } catch {
            outcome.set(.failure(error))
        }
        timer.cancel()
    }
    return try await outcome.value().get()
}
